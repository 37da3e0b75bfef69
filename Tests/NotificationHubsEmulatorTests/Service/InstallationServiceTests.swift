import Foundation
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite struct InstallationServiceTests {
    static let tags60 = (1...60).map { "\"t\($0)\"" }.joined(separator: ",")

    @Test func `sends the recorded responses for PUT, GET and DELETE`() throws {
        let scene = try Scene()
        let put = try scene.putPhone(
            #""userId":"zoe","tags":["a"],"pushVariables":{"v":"1"},"templates":{"Template Name":{"body":"{}","expiry":"2018-11-07T16:18:32.6641371-08:00"}},"other":[1.50],"pushChannelExpired":null,"expirationTime":null"#
        )
        #expect((put.status, put.body) == (200, []))
        let response = try scene.call(.get, "/installations/phone")
        for response in [put, response] {
            #expect(response.headers["Content-Type"] == "application/xml; charset=utf-8")
            #expect(response.headers["ETag"] == nil && response.headers["Location"] == nil)
        }
        #expect(
            response.text == #"""
                {"installationId":"phone","pushChannel":"AB01","pushChannelExpired":false,"platform":"apns","expirationTime":"9999-12-31T23:59:59.9999999Z","tags":["a"],"pushVariables":{"v":"1"},"templates":{"Template Name":{"body":"{}","expiry":"2018-11-07T16:18:32.6641371-08:00","tags":["Template Name"]}},"other":[1.50],"userId":"zoe"}
                """#)
        #expect(try scene.put(response.text).status == 200)
        #expect(try scene.get() == response.text)
        #expect(try scene.call(.delete, "/installations/phone").status == 204)
        let missing = try scene.call(.get, "/installations/phone")
        #expect(missing.status == 404)
        let id = try #require(missing.headers["TrackingId"])
        #expect(
            missing.text
                == "<Error><Code>404</Code><Detail>Installation not found.TrackingId:\(id)_G1,TimeStamp:1/1/2030 12:00:00 AM</Detail></Error>"
        )
        #expect(try scene.call(.delete, "/installations/phone").status == 204)
    }

    @Test(arguments: [
        (#""tags":["\#(String(repeating: "x", count: 120))"]"#, 200),
        (#""tags":["\#(String(repeating: "x", count: 121))"]"#, 400),
        ("\"tags\":[\(tags60)]", 200), ("\"tags\":[\(tags60),\"u\"]", 400), (#""tags":["a,b"]"#, 400),
        (#""tags":["a b"]"#, 400),
        (#""tags":[""]"#, 400), (#""tags":["é"]"#, 400), (#""tags":"a""#, 400), (#""userId":"a b""#, 400),
        (#""userId":"a@b=1""#, 200),
        ("\"tags\":[\(tags60)],\"templates\":{\"t\":{\"body\":\"{}\",\"tags\":[\"u\"]}}", 400),
        (#""templates":{"a:b":{"body":"{}"}}"#, 400), (#""templates":{"a b":{"body":"{}"}}"#, 200),
        (#""templates":{"t":{"body":"text"}}"#, 400), (#""templates":{"t":{"body":"{\"a\":\"$(x\"}"}}"#, 400),
        (#""templates":{"t":{}}"#, 400),
        (#""templates":{"t":{"body":"{}","headers":{"apns-topic":"$(t)"}}}"#, 200),
        (#""templates":{"t":{"body":"{}","headers":{"X-Y":"z"}}}"#, 400),
        (#""templates":{"t":{"body":"{}","headers":{"apns-topic":"$(t"}}}"#, 400),
        (#""templates":{"t":{"body":"{}","expiry":"tomorrow"}}"#, 400),
        (#""templates":{"t":{"body":"{}","expiry":"$(e)"}}"#, 200),
        (#""secondaryTiles":{"s":{"pushChannel":"c"}}"#, 400), (#""expirationTime":"soon""#, 400),
        (#""expirationTime":"2031-01-01T00:00+0000""#, 200),
    ])
    func `accepts only documented members and values`(members: String, status: Int) throws {
        let scene = try Scene()
        #expect(try scene.putPhone(members).status == status)
        #expect(try scene.call(.get, "/installations/phone").status == (status == 200 ? 200 : 404))
    }

    @Test(arguments: [
        ("APNS", 200), ("fcmV1", 200), ("FCMV1", 200), ("gcm", 200), ("wns", 200), ("mpns", 200), ("adm", 200),
        ("xiaomi", 200),
        ("baidu", 400), ("browser", 400), ("fcm", 500), ("apple", 400), ("", 400),
    ])
    func `accepts only known platforms`(platform: String, status: Int) throws {
        #expect(try Scene().putPhone(platform: platform).status == status)
    }

    @Test(arguments: [
        #"{"endpoint":"https://example.com","p256dh":"p","auth":"a"}"#,
        #""{\"endpoint\":\"https://example.com\",\"p256dh\":\"p\",\"auth\":\"a\"}""#,
    ])
    func `accepts a browser's channel as an object and as a string`(channel: String) throws {
        let scene = try Scene()
        let json = "{\"installationId\":\"phone\",\"platform\":\"browser\",\"pushChannel\":\(channel)}"
        #expect(try scene.put(json).status == 200)
        #expect(scene.emulator.installations.first?.pushChannel.browserSubscription?.endpoint == "https://example.com")
    }

    @Test(arguments: ["a:b", "a%3ab", "a%20b", "..."])
    func `rejects an invalid installation ID`(id: String) throws {
        for method in [HubRequest.Method.get, .put, .patch, .delete] {
            #expect(try Scene().call(method, "/installations/\(id)").status == 400)
        }
    }

    @Test func `requires X-WNS-Type in a template for Windows`() throws {
        let templates = { (headers: String) in #""templates":{"t":{"body":"<toast/>"\#(headers)}}"# }
        #expect(try Scene().putPhone(templates(""), platform: "wns").status == 400)
        let typed = templates(#","headers":{"x-wns-type":"wns/toast"}"#)
        #expect(try Scene().putPhone(typed, platform: "wns").status == 200)
        #expect(try Scene().putPhone(templates(""), platform: "mpns").status == 200)
        let tile = { (headers: String) in #""secondaryTiles":{"s":{"pushChannel":"c",\#(templates(headers))}}"# }
        #expect(try Scene().putPhone(tile(""), platform: "wns").status == 400)
        #expect(try Scene().putPhone(tile(#","headers":{"X-WNS-Type":"wns/tile"}"#), platform: "wns").status == 200)
    }

    @Test(arguments: [
        (#""pushChannel":"a\u0001""#, "pushChannel contains"),
        (#""templates":{"t":{"body":"{\u0001}"}}"#, "body contains"),
        (#""templates":{"t\u0001":{"body":"{}"}}"#, "templates contains"),
        (#""templates":{"t":{"body":"{}","expiry":"\uffff"}}"#, "expiry contains"),
        (#""pushVariables":{"a":"\uffff"}"#, "pushVariables contains"), (#""pushVariables":{"a":"\u0001"}"#, nil),
        (#""templates":{"t":{"body":"{\t\n}"}}"#, nil),
    ])
    func `rejects a character that would make the registrations unreadable`(members: String, detail: String?) throws {
        let scene = try Scene()
        let channel = members.contains("pushChannel") ? "" : #","pushChannel":"a""#
        let response = try scene.put("{\"installationId\":\"phone\",\"platform\":\"gcm\"\(channel),\(members)}")
        #expect(response.status == (detail == nil ? 200 : 400))
        if let detail { #expect(String(decoding: response.body, as: UTF8.self).contains(detail)) }
        #expect(try scene.call(.get, "/registrations").status == 200)
    }

    /// Pairs of installations that differ in one member: the platform, the common members, and the member before and after.
    private static let changes: [(String, String, String, String)] = [
        ("apns", #""pushChannel":"AB""#, #""userId":"a""#, #""userId":"b""#),
        ("apns", #""pushChannel":"AB""#, #""tags":["a","b"]"#, #""tags":["b","a"]"#),
        ("apns", #""pushChannel":"AB""#, #""other":1"#, #""other":1.0"#),
        ("apns", #""pushChannel":"AB""#, #""pushVariables":{"a":"\u00e9"}"#, #""pushVariables":{"a":"e\u0301"}"#),
        ("apns", #""pushChannel":"AB""#, #""pushVariables":{"\u00e9":"a"}"#, #""pushVariables":{"e\u0301":"a"}"#),
        (
            "apns", #""pushChannel":"AB""#, #""expirationTime":"2031-01-01T00:00:00Z""#,
            #""expirationTime":"2031-01-01T00:00:01Z""#
        ),
        (
            "apns", #""pushChannel":"AB""#, #""templates":{"t":{"body":"{}"}}"#,
            #""templates":{"t":{"body":"{}","headers":{"apns-topic":"a"}}}"#
        ),
        ("apns", #""tags":["a"]"#, #""pushChannel":"AB""#, #""pushChannel":"CD""#),
        (
            "browser", #""tags":["a"]"#, #""pushChannel":{"endpoint":"https://a.net/","p256dh":"a","auth":"b"}"#,
            #""pushChannel":{"auth":"b", "endpoint":"https://a.net/","p256dh":"a"}"#
        ),
        (
            "wns", #""pushChannel":"https://a.net/""#, #""secondaryTiles":{"s":{"pushChannel":"\u00e9"}}"#,
            #""secondaryTiles":{"s":{"pushChannel":"e\u0301"}}"#
        ),
        (
            "wns", #""pushChannel":"https://a.net/""#, #""secondaryTiles":{"\u00e9":{"pushChannel":"b"}}"#,
            #""secondaryTiles":{"e\u0301":{"pushChannel":"b"}}"#
        ),
        (
            "wns", #""pushChannel":"https://a.net/""#, #""secondaryTiles":{"s":{"pushChannel":"b","other":1}}"#,
            #""secondaryTiles":{"s":{"pushChannel":"b","other":2}}"#
        ),
        (
            "wns", #""pushChannel":"https://a.net/""#, #""secondaryTiles":{"s":{"pushChannel":"b","tags":["a"]}}"#,
            #""secondaryTiles":{"s":{"pushChannel":"b","tags":["b"]}}"#
        ),
    ]

    @Test(arguments: changes)
    func `replaces an installation that differs in one member`(
        platform: String, common: String, old: String, new: String
    ) throws {
        func json(_ member: String) -> String {
            #"{"installationId":"phone","platform":"\#(platform)",\#(common),\#(member)}"#
        }
        let scene = try Scene()
        let other = try Scene()
        #expect(try scene.put(json(old)).status == 200)
        #expect(try scene.put(json(new)).status == 200)
        #expect(try other.put(json(new)).status == 200)
        #expect(try Array(scene.get().utf8) == Array(other.get().utf8))
    }

    @Test func `changes the revision when an installation is put again unchanged`() throws {
        let scene = try Scene()
        try scene.putPhone(#""tags":["a"]"#)
        let revision = scene.emulator.revision
        try scene.putPhone(#""tags":["a"]"#)
        #expect(scene.emulator.revision != revision)
    }

    @Test func `keeps templates that are equal only as Swift strings`() throws {
        let scene = try Scene()
        for (id, letter) in [("phone", "\u{e9}"), ("tablet", "e\u{301}")] {
            try scene.putPhone(
                "\"tags\":[\"a\"],\"templates\":{\"t\":{\"body\":\"{\\\"aps\\\":\\\"\(letter)\\\"}\"}}", id: id)
        }
        let bodies = scene.emulator.installations.flatMap(\.templates.values).map { Array($0.body.utf8) }
        #expect(bodies.count == 2 && bodies[0] != bodies[1])
        try scene.send("{}", format: "template", tags: "a")
        let delivered = scene.emulator.deliveries.map { Array($0.body.utf8) }
        #expect(delivered.count == 2 && delivered[0] != delivered[1])
    }

    @Test func `stores an Apple device token in uppercase and other handles unchanged`() throws {
        let scene = try Scene()
        let json = { (platform: String) in
            #"{"installationId":"phone","platform":"\#(platform)","pushChannel":"ab01Cd"}"#
        }
        #expect(try scene.put(json("apns")).status == 200)
        #expect(try scene.get().contains(#""pushChannel":"AB01CD""#))
        #expect(scene.emulator.installations.first?.pushChannel == .apple(deviceToken: [0xab, 0x01, 0xcd]))
        #expect(try scene.patch(#"[{"op":"replace","path":"/pushChannel","value":"ef"}]"#).status == 200)
        #expect(try scene.get().contains(#""pushChannel":"EF""#))
        #expect(try scene.put(json("gcm")).status == 200)
        #expect(try scene.get().contains(#""pushChannel":"ab01Cd""#))
    }

    @Test func `removes expired installations`() throws {
        let scene = try Scene()
        try scene.putPhone(#""expirationTime":"2030-01-01T00:01:00Z","tags":["a"]"#)
        try scene.putPhone(#""expirationTime":"2030-01-01T00:02:00Z","tags":["a"]"#, id: "tablet")
        try scene.putPhone(#""tags":["a"]"#, id: "watch")
        scene.wait(59)
        #expect(try scene.get().contains(#""expirationTime":"2030-01-01T00:01:00Z""#))
        scene.wait(1)
        #expect(try scene.call(.get, "/installations/phone").status == 404)
        try scene.send("{}", format: "apple", tags: "a")
        #expect(scene.reached() == ["tablet", "watch"])
        scene.wait(60)
        #expect(scene.emulator.installations.map(\.id.rawValue) == ["watch"])
        try scene.putPhone()
        scene.wait(1e9)
        #expect(scene.emulator.installations.map(\.id.rawValue) == ["phone", "watch"])
    }

    @Test func `expires an installation at the time of its last write`() throws {
        let scene = try Scene()
        // The first time has passed: the installation is accepted, and removed at once.
        for time in ["2029-12-31T00:00:00Z", "2030-01-01T00:01:00Z", "2030-01-01T00:03:00Z", "2030-01-01T00:02:00Z"] {
            #expect(try scene.putPhone("\"expirationTime\":\"\(time)\"").status == 200)
        }
        scene.wait(119)
        #expect(scene.emulator.installations.count == 1)
        scene.wait(1)
        #expect(scene.emulator.installations.isEmpty)
        try scene.putPhone(#""expirationTime":"2030-01-01T00:04:00Z""#)
        #expect(try scene.call(.delete, "/installations/phone").status == 204)
        try scene.putPhone()
        scene.wait(1e9)
        #expect(scene.emulator.installations.count == 1)
    }

    // Microsoft's SDKs for .NET and Java put a browser's subscription as text, and read no other form.
    @Test(arguments: [
        #""{\"endpoint\":\"https://a.example\",\"p256dh\":\"B\",\"auth\":\"C\"}""#,
        #"{"endpoint":"https://a.example","p256dh":"B","auth":"C","zoo":1}"#,
        #"{"auth":"C","p256dh":"B","endpoint":"https://a.example"}"#,
    ])
    func `returns a browser's channel in the form in which it was put`(channel: String) throws {
        let scene = try Scene()
        try scene.put(
            #"{"installationId":"phone","platform":"browser","pushChannel":CHANNEL}"#.replacing(
                "CHANNEL", with: channel))
        #expect(try scene.get().contains("\"pushChannel\":\(channel),"))
        #expect(scene.emulator.installations.first?.pushChannel.browserSubscription?.endpoint == "https://a.example")
        let copy = try Scene()
        try copy.emulator.restore(from: scene.emulator.snapshot())
        #expect(try copy.get() == scene.get())
    }

    @Test func `warns about an expression inside a template's string`() throws {
        let scene = try Scene()
        try scene.putPhone(#""templates":{"t":{"body":"{\"a\":\"Hello $(name)\"}"}}"#)
        #expect(
            scene.emulator.warnings.map(\.text).first
                == "installation phone, template t: Apple: a: text and $(…) in one value arrive literally: "
                + "write {'Hello ' + $(name)}")
    }
}
