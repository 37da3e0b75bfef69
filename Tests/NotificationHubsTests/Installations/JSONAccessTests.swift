import NotificationHubs
import Testing

/// Access to unknown members of an installation, and JSON literals.
@Suite struct JSONAccessTests {
    private let properties: AdditionalProperties

    init() throws {
        let json = #"""
            {"installationId":"i","platform":"apns","pushChannel":"AB","text":"a","list":[1,{"deep":true}],"whole":-7,
            "fraction":2.50,"long":9223372036854775808,"nothing":null}
            """#
        properties = try Installation(json: json.utf8).additionalProperties
    }

    @Test func `reads each type of value by name and index`() {
        #expect(properties["text"]?.string == "a")
        #expect(properties["whole"]?.int == -7)
        #expect(properties["whole"]?.double == -7)
        #expect(properties["fraction"]?.double == 2.5)
        #expect(properties["list"]?[1]?["deep"]?.bool == true)
        #expect(properties["list"]?.array?.count == 2)
        #expect(properties["list"]?[1]?.object?.names == ["deep"])
        #expect(properties["nothing"] == .null)
    }

    @Test func `returns nil for another type, a missing member and an index out of bounds`() {
        #expect(properties["text"]?.int == nil && properties["text"]?.double == nil && properties["text"]?.bool == nil)
        #expect(properties["text"]?.array == nil && properties["text"]?.object == nil)
        #expect(properties["whole"]?.string == nil)
        #expect(properties["absent"] == nil && properties["text"]?["x"] == nil)
        #expect(properties["list"]?[2] == nil && properties["list"]?[-1] == nil && properties["text"]?[0] == nil)
    }

    @Test func `returns nil for a number that does not fit`() {
        #expect(properties["fraction"]?.int == nil)
        #expect(properties["long"]?.int == nil)
        #expect(properties["long"]?.double == 9_223_372_036_854_775_808)
    }

    @Test func `writes literals as JSON`() {
        let value: JSONValue = ["s": "\("é")", "i": -1, "d": 0.5, "b": false, "a": [1, .null], "o": [:]]
        #expect(value.bytes == Array(#"{"a":[1,null],"b":false,"d":0.5,"i":-1,"o":{},"s":"é"}"#.utf8))
    }

    @Test func `reads back every finite Double`() throws {
        for number in [1e20, .leastNonzeroMagnitude, -0.0, .greatestFiniteMagnitude, 0.1] {
            let json = JSONValue.number(try #require(JSONNumber(number)))
            #expect(try JSONValue(parsing: json.bytes).double == number)
        }
        #expect(JSONNumber(.infinity) == nil && JSONNumber(.nan) == nil)
    }

    @Test func `encodes only values that are JSON objects`() throws {
        #expect(try JSONObject(encoding: ["b": 1, "a": 2]) == ["a": 2, "b": 1])
        let error = #expect(throws: HubValidationError.self) { try JSONObject(encoding: [1]) }
        #expect(error?.code == .invalidJSON)
    }
}
