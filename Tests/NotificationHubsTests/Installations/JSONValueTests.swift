import Foundation
import HubTestSupport
import NotificationHubs
import Testing

@Suite struct JSONValueTests {

    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }
    private func written(_ value: JSONValue) -> String { String(decoding: value.bytes, as: UTF8.self) }

    @Test(arguments: [
        "null", "true", "false", "0", "-0", "12", "-1.50", "1e308", "1E-7", "0.1e+2", "18446744073709551616",
        "123456789012345678901234567890123456789012345678901234567890", "\"\"", "\"é\"", "\"e\u{301}\"", "\"👍\"",
        #""\"\\\n\r\t\u0000\u001f\#u{7f}\#u{2028}""#, #""one é\\\"👍\u0001 two\n three""#, "[]", "[1,[2,[]],{}]",
        #"{"a":{"b":[null]},"b":1}"#,
    ])
    func `writes what it has read`(text: String) throws {
        #expect(written(try parse(text)).utf8.elementsEqual(text.utf8))
    }

    @Test(arguments: [
        (" [ 1 , 2 ]\r\n\t", "[1,2]"), (#"{"b":1,"a":2,"B":3,"":4}"#, #"{"":4,"B":3,"a":2,"b":1}"#),
        (#""\u0041\/\b\f\ud83d\udc4D""#, #""A/\u0008\u000c👍""#), (#""\ud83d\udc00""#, #""🐀""#),
        (#""\udbff\udfff""#, "\"\u{10ffff}\""),
    ])
    func `writes the canonical form`(text: String, expected: String) throws {
        #expect(written(try parse(text)) == expected)
    }

    @Test(arguments: [
        ("", 0), (" ", 1), ("nul", 0), ("nulll", 4), ("1 2", 2), ("+1", 0), ("01", 1), (".5", 0), ("1.", 2), ("1e", 2),
        ("-", 1), ("NaN", 0), ("[1,]", 3), ("[1 2]", 3), ("[", 1), ("]", 0), (#"{"a":1,}"#, 7), (#"{"a" 1}"#, 5),
        ("{a:1}", 1), (#"{"a":1 "b":2}"#, 7), (#"{"a":1,"a":2}"#, 0), (#""a"#, 0), ("\"a\nb\"", 2), (#""\x""#, 2),
        (#""\u12g4""#, 5), (#""\ud800""#, 7), (#""\ud800\u0041""#, 13), (#""\udc00""#, 7), (#""\udc00\udc00""#, 7),
        (#""\"#, 2), ("'a'", 0),
        ("\u{feff}1", 0), ("// a\n1", 0), ("[1e999]", 1), ("-1E400", 0), (String(repeating: "9", count: 310), 0),
    ])
    func `reports the offset of a syntax error`(text: String, offset: Int) throws {
        let error = #expect(throws: JSONValue.ParseError.self) { try parse(text) }
        #expect(error?.offset == offset, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xc3, 0x22],
        [0x22, 0x5c, 0x6e, 0xff, 0x22],
    ])
    func `rejects invalid UTF-8`(bytes: [UInt8]) {
        #expect(throws: JSONValue.ParseError.self) { try JSONValue(parsing: bytes) }
    }

    @Test func `accepts 64 levels and rejects a million`() throws {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(written(try parse(deep)) == deep)
        #expect(throws: JSONValue.ParseError.self) { try parse("[\(deep)]") }
        #expect(throws: JSONValue.ParseError.self) { try parse(String(repeating: #"{"a":["#, count: 1_000_000)) }
    }

    @Test func `compares names and strings by their bytes`() throws {
        let text = "{\"e\u{301}\":1,\"\u{e9}\":2}"
        guard case .object(var object) = try parse(text) else { throw CancellationError() }
        #expect(object.members.count == 2)
        #expect(object["e\u{301}"] == .number(.init(1)))
        #expect(object["\u{e9}"] == .number(.init(2)))
        object["\u{e9}"] = nil
        #expect(written(.object(object)) == "{\"e\u{301}\":1}")
        #expect(JSONValue.string("e\u{301}") != .string("\u{e9}"))
        #expect(Set<JSONValue>([.string("e\u{301}"), .string("\u{e9}")]).count == 2)
    }

    @Test(arguments: [0, 1, 16, 17, 100])
    func `finds the members of an object`(count: Int) {
        var object = JSONObject()
        // Inserts each name before those already there, and each name has as many bytes as its neighbors.
        for number in (0..<count).reversed() { object["name \(100 + number)"] = .number(.init(number)) }
        for number in 0..<count { #expect(object["name \(100 + number)"]?.int == number) }
        for name in ["", "name 099", "name 1005", "name \(100 + count)", "nbme 100"] { #expect(object[name] == nil) }
    }

    @Test func `ignores the order of members in comparisons`() throws {
        let one = try parse(#"{"a":1,"b":[true]}"#)
        let other = try parse(#"{"b":[true],"a":1}"#)
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(try parse("1.0") != parse("1"))
    }

    @Test(arguments: ["1", "-0.5e7", "340282366920938463463374607431768211456"])
    func `creates a number from valid text`(text: String) {
        #expect(JSONNumber(text)?.text == text)
    }

    @Test(arguments: ["", " 1", "1 ", "+1", "0x1", "1,2", "nan", "true"])
    func `rejects invalid text for a number`(text: String) {
        #expect(JSONNumber(text) == nil)
    }

    @Test func `preserves values in Foundation's coders`() throws {
        let text = """
            {"a":[1,-1.5,18446744073709551615,9007199254740993,true,null,"é"],"b":{"c":{}},"d":12345678901234567890123456789}
            """
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect(value == (try parse(text)))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
    }

    @Test func `reads corrupted JSON back unchanged or rejects it`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let original = Array(#"{"a":[1,-2.5,"x\u00e9\n\ud83d\udc4d",null,true],"é":{"b":{},"c":[[],""]}}"#.utf8)
        var acceptedCount = 0
        for _ in 0..<representativeCount(5_000) {
            let bytes = random.corrupted(original)
            guard let value = try? JSONValue(parsing: bytes) else { continue }
            #expect(try JSONValue(parsing: value.bytes) == value, "seed \(seed)")
            // Foundation's parser accepts everything that this one accepts.
            let data = Data(bytes)
            #expect(
                (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil,
                "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
            acceptedCount += 1
        }
        #expect(acceptedCount > 0, "seed \(seed)")
    }
}
