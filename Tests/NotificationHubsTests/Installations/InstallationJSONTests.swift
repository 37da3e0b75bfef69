import Foundation
import HubTestSupport
import NotificationHubs
import Testing

@Suite struct InstallationJSONTests {

    @Test func `reads every member`() throws {
        let read = try Installation(json: hubSample("installation-tiles.json"))
        #expect(read.id.rawValue == "tiles-1")
        #expect(read.pushChannel == .windows(channelURI: "https://db5.notify.windows.com/?token=AbC%2b1"))
        #expect(read.userID?.rawValue == "zoe@example.com")
        #expect(read.tags == ["news", "sport"])
        #expect(read.pushVariables == ["name": "Zoë", "greeting": "\"Hi\""])
        #expect(read.expirationTime == Date(timeIntervalSince1970: 1_898_512_496))
        #expect(read.isPushChannelExpired == true)
        let template = try #require(read.templates["toast"])
        #expect(template.body.hasPrefix("<toast>"))
        #expect(template.headers == ["X-WNS-Type": "wns/toast"])
        #expect(template.expiry?.rawValue == "$(expiry)")
        #expect(template.tags == ["toasts"])
        let tile = try #require(read.secondaryTiles["tile 1"])
        #expect(tile.pushChannel.hasSuffix("token=tile"))
        #expect(tile.tags == ["tile"])
        #expect(tile.templates.keys.map(\.rawValue) == ["square"])
        #expect(tile.isPushChannelExpired == false)
        #expect(read.additionalProperties.names == ["lastUpdate", "nested", "ratio", "revision"])
    }

    @Test func `preserves unknown members exactly and omits read-only ones`() async throws {
        let bytes = try hubSample("installation-tiles.json")
        let read = try Installation(json: bytes)
        let sent = try JSONValue(parsing: try await bodyOfPut(read).utf8)
        var expected = String(decoding: bytes, as: UTF8.self)
        for value in [true, false] { expected.replace(#""pushChannelExpired":\#(value),"#, with: "") }
        expected.replace("12:34:56.1740468Z", with: "12:34:56Z")
        #expect(sent == (try JSONValue(parsing: expected.utf8)))
        #expect(sent["revision"] == .number(try #require(JSONNumber("12345678901234567890123"))))
        #expect(sent["templates", "toast", "rank"] == .number(.init(9_007_199_254_740_993)))
        #expect(sent["secondaryTiles", "tile 1", "colour", "rgb", "2"] == .number(.init(128)))
    }

    @Test func `reads the JSON that it has written`() throws {
        for name in ["installation-tiles.json", "installation-browser-object.json", "installation.json"] {
            let read = try Installation(json: hubSample(name))
            #expect(try Installation(json: read.json) == read)
            #expect(try JSONDecoder().decode(Installation.self, from: JSONEncoder().encode(read)).id == read.id)
        }
    }

    @Test func `reads a browser's channel as an object or a string, and writes an object`() async throws {
        let object = try Installation(json: hubSample("installation-browser-object.json"))
        let text = try Installation(json: hubSample("installation-browser-text.json"))
        #expect(object.pushChannel == text.pushChannel)
        #expect(object.pushChannel.browserSubscription?.auth == "tBHItJI5svbpez7KI4CCXg")
        let sent = try JSONValue(parsing: try await bodyOfPut(text).utf8)
        #expect(
            sent["pushChannel"]
                == (try JSONValue(parsing: hubSample("installation-browser-object.json")))["pushChannel"])
    }

    @Test func `explains the nested keys of a browser's PushSubscription`() {
        let channel = #""platform":"browser","pushChannel":{"endpoint":"https://a","keys":{"p256dh":"b","auth":"c"}}"#
        let error = #expect(throws: HubValidationError.self) {
            try Installation(json: #"{"installationId":"a",\#(channel)}"#.utf8)
        }
        #expect(
            error?.description
                == "pushChannel/keys: expected p256dh and auth next to endpoint: move them out of the object")
    }

    @Test(arguments: ["59", "59.999", "59.999Z", "59.9999999Z"])
    func `reads the last second of the year 9999 as never, and omits it`(seconds: String) async throws {
        let read = try Installation(
            json: Self.minimal(#""pushChannel":"AB","expirationTime":"9999-12-31T23:59:\#(seconds)""#).utf8)
        #expect(read.expirationTime == nil)
        #expect(try await !bodyOfPut(read).contains("expirationTime"))
        var last = read
        last.expirationTime = Date(timeIntervalSince1970: 253_402_300_799)
        #expect(try await !bodyOfPut(last).contains("expirationTime"))
    }

    @Test func `keeps an expiration time that precedes the last second of the year 9999`() async throws {
        let read = try Installation(
            json: Self.minimal(#""pushChannel":"AB","expirationTime":"9999-12-31T23:59:58Z""#).utf8)
        #expect(read.expirationTime == Date(timeIntervalSince1970: 253_402_300_798))
        #expect(try await bodyOfPut(read).contains(#""expirationTime":"9999-12-31T23:59:58Z""#))
    }

    @Test func `keeps templates whose names are canonically equivalent`() throws {
        let json = """
            {"installationId":"i","platform":"apns","pushChannel":"AB","templates":{"e\u{301}":{"body":"1"},"\u{e9}":{"body":"2"}}}
            """
        let read = try Installation(json: json.utf8)
        #expect(read.templates["e\u{301}"]?.body == "1")
        #expect(read.templates["\u{e9}"]?.body == "2")
        #expect(
            Installation(id: read.id, pushChannel: read.pushChannel, templates: read.templates).json
                == Array(read.json))
    }

    @Test(arguments: [
        (#""pushVariables":{"a":"\u00e9"}"#, #""pushVariables":{"a":"e\u0301"}"#),
        (#""pushVariables":{"\u00e9":"a"}"#, #""pushVariables":{"e\u0301":"a"}"#),
        (#""secondaryTiles":{"s":{"pushChannel":"\u00e9"}}"#, #""secondaryTiles":{"s":{"pushChannel":"e\u0301"}}"#),
        (#""secondaryTiles":{"\u00e9":{"pushChannel":"b"}}"#, #""secondaryTiles":{"e\u0301":{"pushChannel":"b"}}"#),
    ])
    func `compares strings by their UTF-8 bytes`(left: String, right: String) throws {
        let installations = try [left, left, right].map {
            try Installation(json: Self.minimal($0, platform: "wns").utf8)
        }
        #expect(installations[0] == installations[1] && installations[0].hashValue == installations[1].hashValue)
        #expect(installations[0] != installations[2])
    }

    @Test(arguments: [
        ("", "invalid JSON"), ("<html>", "invalid JSON"), ("[]", "expected an object"),
        ("{}", "installationId: missing"),
        (#"{"installationId":null}"#, "installationId: missing"), (#"{"installationId":1}"#, "expected a string"),
        (#"{"installationId":"a/b"}"#, "installationId: an installation's ID"),
        (#"{"installationId":"i"}"#, "platform: missing"),
        (#"{"installationId":"i","platform":"apns"}"#, "pushChannel: missing"),
        (minimal(#""pushChannel":[]"#), "pushChannel: expected"),
        (minimal(#""pushChannel":{"endpoint":"e"}"#, platform: "browser"), "pushChannel/p256dh: missing"),
        (minimal(#""tags":"a,b""#), "tags: expected an array"),
        (minimal(#""tags":["a",1]"#), "tags/1: expected a string"),
        (minimal(#""userId":7"#), "userId: expected a string"), (minimal(#""expirationTime":0"#), "expirationTime"),
        (minimal(#""pushChannelExpired":"no""#), "pushChannelExpired: expected"),
        (minimal(#""templates":[]"#), "templates: expected an object"),
        (minimal(#""templates":{"t":{}}"#), "templates/t/body: missing"),
        (minimal(#""templates":{"\n\u202e":1}"#), #"templates/\n\u{202E}: expected an object"#),
        (minimal(#""secondaryTiles":{"t":{}}"#), "secondaryTiles/t/pushChannel: missing"),
        (minimal(#""pushVariables":{"e\u0301":"1","\u00e9":"2"}"#), "duplicates"),
        (minimal(#""tags":[],"tags":[]"#), "duplicate name"),
    ])
    func `reports the path and the problem of invalid JSON`(json: String, reason: String) {
        let error = #expect(throws: HubValidationError.self) { try Installation(json: json.utf8) }
        let text = error?.description ?? ""
        #expect(text.contains(reason), "\(text)")
        #expect(text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }, "\(text)")
    }

    @Test func `rejects a name of more than 1,024 bytes`() throws {
        func json(_ count: Int) -> [UInt8] {
            Array(Self.minimal(#""pushVariables":{"\#(String(repeating: "a", count: count))":"1"}"#).utf8)
        }
        #expect(try Installation(json: json(1024)).pushVariables.count == 1)
        let error = #expect(throws: HubValidationError.self) { try Installation(json: json(1025)) }
        #expect(error?.description.hasSuffix("the name has more than 1,024 bytes") == true)
    }

    static func minimal(_ member: String, platform: String = "apns") -> String {
        let channel = member.contains("pushChannel\"") && !member.contains("Tiles") ? "" : #","pushChannel":"A""#
        return #"{"installationId":"i","platform":"\#(platform)"\#(channel),\#(member)}"#
    }

    @Test func `treats null as absent`() throws {
        let nulls = [
            "userId", "tags", "pushVariables", "templates", "secondaryTiles", "expirationTime", "pushChannelExpired",
        ]
        .map { "\"\($0)\":null" }.joined(separator: ",")
        let json = #"{"installationId":"i","platform":"apns","pushChannel":"AB",\#(nulls)}"#
        let read = try Installation(json: json.utf8)
        #expect(read == Installation(id: read.id, pushChannel: PushChannel(platform: .apple, handle: "AB")))
    }

    @Test func `treats null within a member as absent`() throws {
        let json = Self.minimal(
            #""tags":["a",null],"pushVariables":{"a":null,"b":"1"},"templates":{"t":null},"secondaryTiles":{"s":null}"#)
        let read = try Installation(json: json.utf8)
        #expect(read.tags == ["a"])
        #expect(read.pushVariables == ["b": "1"])
        #expect(read.templates.isEmpty && read.secondaryTiles.isEmpty)
    }

    @Test(arguments: [
        #""tags":["a",null]"#, #""tags":[]"#, #""tags":{"a":"b"}"#, #""tags":"a""#, #""tags":["a",["b"],{}]"#,
        #""tags":1"#,
        #""templates":{}"#, #""templates":{"tags":{"body":"b","headers":{"tags":"a"},"tags":["a"],"rank":7}}"#,
        #""templates":{"t":null}"#, #""templates":{"t":"b"}"#, #""templates":{"t":["b"]}"#, #""templates":["b"]"#,
        #""templates":{"t":{"body":"b","headers":["a"]}}"#, #""templates":{"t":{"body":{"tags":"a"}}}"#,
        #""pushVariables":{"tags":"a","templates":"b"}"#, #""pushVariables":{"tags":["a"]}"#, #""pushVariables":null"#,
        #""secondaryTiles":{"headers":{"pushChannel":"c","templates":{"t":{"body":"b"}}}}"#,
        #""secondaryTiles":{"s":{"pushChannel":"c","tags":{}}}"#,
        #""more":{"tags":{"templates":["a",{},null]},"templates":{"a":true},"headers":"a","list":[[1],"a"]}"#,
    ])
    func `decodes with Foundation what it reads itself`(member: String) throws {
        let json = Self.minimal(member)
        let read = Result { try Installation(json: json.utf8) }
        let decoded = Result { try JSONDecoder().decode(Installation.self, from: Data(json.utf8)) }
        switch (read, decoded) {
        case (.success(let read), .success(let decoded)): #expect(read == decoded)
        case (.failure(let error), .failure(DecodingError.dataCorrupted(let context))):
            #expect(context.debugDescription == "\(error)")
        default: Issue.record("read: \(read), decoded: \(decoded)")
        }
    }

    @Test(arguments: ["installation-tiles.json", "installation-browser-text.json"])
    func `reads a corrupted installation back unchanged or rejects it`(sample: String) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let original = try hubSample(sample)
        var acceptedCount = 0
        for _ in 0..<representativeCount(2_000) {
            guard let read = try? Installation(json: random.corrupted(original)) else { continue }
            #expect(try Installation(json: read.json) == read, "seed \(seed)")
            acceptedCount += 1
        }
        #expect(acceptedCount > 0, "seed \(seed)")
    }
}
