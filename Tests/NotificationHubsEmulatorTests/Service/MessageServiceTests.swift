import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite struct MessageServiceTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        try scene.putPhone(
            #""userId":"zoe","tags":["news","sports"],"pushVariables":{"City":"Rome","message":"own"},"templates":{"t":{"body":"{\"a\":\"{$(message) + ' ' + $(city)}\"}","headers":{"apns-topic":"$(topic:{app})"},"expiry":"$(until)"},"q":{"body":"{}","tags":["quiet"]}}"#
        )
        try scene.putPhone(#""userId":"zoe","tags":["news"]"#, id: "tablet", platform: "fcmv1")
        try scene.putPhone(id: "tv", platform: "wns")
    }

    @Test func `says that a message without a format is a template message`() throws {
        let response = try Scene().call(
            .post, "/messages", "api-version=2020-06", ["Content-Type": "application/json"], #"{"aps":{"alert":"a"}}"#)
        #expect(response.status == 400)
        #expect(
            response.text.contains(
                "missing ServiceBusNotification-Format: without it, the message is a template message"))
    }

    @Test(arguments: [
        ("news", ["phone/q", "phone/t"]), ("t", ["phone/t"]), ("quiet", ["phone/q"]), ("news && !quiet", ["phone/t"]),
        ("sports&&(t||x)", ["phone/t"]), ("!t", ["phone/q"]), ("unused", []),
        ("$UserId:{zoe}", ["phone/q", "phone/t"]),
        ("$InstallationId:{phone} && t", ["phone/t"]), ("$InstallationId:{tablet}", []), ("News", []),
        ("unused || quiet || t", ["phone/q", "phone/t"]), ("!(quiet || t)", []),
    ])
    func `fills the templates that a tag expression matches`(tags: String, reached: [String]) throws {
        #expect(try scene.send(tags: tags).status == 201)
        #expect(scene.reached() == reached)
        #expect(scene.emulator.warnings.contains { $0.text.hasPrefix("no recipient") } == reached.isEmpty)
    }

    @Test(arguments: [
        ("apple", "news", ["phone"]), ("fcmv1", "news", ["tablet"]), ("fcmV1", "$UserId:{zoe}", ["tablet"]),
        ("apple", "t", []),
        ("apple", "!sports", []), ("apple", "$InstallationId:{phone}", ["phone"]), ("gcm", "news", []),
    ])
    func `sends a native message only to its platform's devices`(format: String, tags: String, reached: [String]) throws
    {
        #expect(try scene.send(#"{"message":{}}"#, format: format, tags: tags).status == 201)
        #expect(scene.reached() == reached)
    }

    @Test func `fills a template's body, headers and expiry from the message, then from the installation`() throws {
        try scene.send(#"{"message":"Hi","UNTIL":"2030-01-02T00:00:00Z"}"#, tags: "t")
        try scene.send("{}", tags: "t", ["apns-topic": "ignored"])
        let deliveries = scene.emulator.deliveries
        #expect(deliveries.map(\.body) == [#"{"a":"Hi Rome"}"#, #"{"a":"own Rome"}"#])
        #expect(
            deliveries.map(\.headers) == [
                ["apns-topic": "app", "apns-expiration": "1893542400"], ["apns-topic": "app"],
            ])
        #expect(deliveries.map(\.number) == [1, 2])
        try scene.send(#"{"topic":"app\r\nEvil: 1"}"#, tags: "t")
        #expect(scene.emulator.deliveries.last?.headers == [:])
        #expect(deliveries.map(\.date) == [Scene.start, Scene.start])
    }

    @Test func `warns about an ignored schedule time`() throws {
        try scene.send(tags: "t", ["ServiceBusNotification-ScheduleTime": "2030-01-01T00:10:00"])
        #expect(scene.reached() == ["phone/t"])
        #expect(scene.emulator.warnings.count { $0.text.contains("ScheduleTime is ignored") } == 1)
    }

    @Test(arguments: [
        (#"{"\u212Aey":"kelvin"}"#, ""), (#"{"key":"k","\u212Aey":"kelvin"}"#, "k"),
        (#"{"\u212Aey":"kelvin","KEY":"k"}"#, "k"), (#"{"Key":"k","\u212Aey":"kelvin"}"#, "k"),
    ])
    func `compares the names of values by their bytes`(values: String, filled: String) throws {
        let scene = try Scene()
        try scene.putPhone(#""templates":{"t":{"body":"{\"a\":\"$(key)\"}"}}"#)
        try scene.send(values, tags: "t")
        #expect(scene.emulator.deliveries.map(\.body) == ["{\"a\":\"\(filled)\"}"])
    }

    @Test(arguments: [
        "a &&", "a,b", "Template Name", "$UserId:zoe", (1...21).map { "t\($0)" }.joined(separator: "||"),
        "a&&b&&c&&d&&e&&f&&g",
    ])
    func `rejects an invalid tag expression and one with too many tags`(tags: String) throws {
        let response = try scene.send(tags: tags)
        #expect(response.status == 400)
        #expect(response.text.contains("invalid tag expression"))
        #expect(scene.reached().isEmpty)
    }

    @Test func `accepts 20 tags joined by || and 6 tags in other expressions`() throws {
        #expect(try scene.send(tags: (1...20).map { "t\($0)" }.joined(separator: "||")).status == 201)
        #expect(try scene.send(tags: "a&&b&&c&&d&&e&&!f").status == 201)
    }

    static let xml: HubHeaders = ["Content-Type": "application/xml"]

    /// Messages with their expected status: format, headers, body, status.
    static let bodies: [(String, HubHeaders, String, Int)] = [
        ("apple", [:], #"{"aps":{}}"#, 201), ("apple", [:], "[]", 400), ("apple", [:], "text", 400),
        ("apple", [:], "", 400),
        ("apple", xml, "{}", 400), ("apple", ["Content-Type": "application/json;charset=utf-8."], "{}", 201),
        ("apple", ["Content-Type": "application/json."], "{}", 201),
        ("apple", ["Content-Type": "Application/JSON ; x"], "{}", 201),
        ("apple", ["apns-priority": "x"], "{}", 400),
        ("apple", ["apns-priority": "5", "apns-expiration": "0"], "{}", 201),
        ("apple", ["apns-expiration": "9999999999"], "{}", 400), ("nokiax", [:], "{}", 400), ("", [:], "{}", 400),
        ("fcmv1", [:], #"{"message":{}}"#, 201), ("fcmv1", [:], #"{"notification":{}}"#, 201),
        ("fcmv1", [:], "[]", 400),
        ("gcm", [:], "{}", 201), ("adm", [:], "{}", 201), ("browser", [:], "{}", 201), ("xiaomi", [:], "x", 400),
        ("baidu", ["Content-Type": "application/x-www-form-urlencoded"], "x", 201), ("baidu", [:], "x", 400),
        ("windows", ["Content-Type": "application/xml", "X-WNS-Type": "wns/toast"], "<toast/>", 201),
        (
            "windows", ["Content-Type": "application/xml", "X-WNS-Type": "wns/toast"],
            "<?xml version=\"1.0\" encoding=\"utf-16\"?><toast/>", 201
        ),
        ("windows", ["Content-Type": "application/xml", "X-WNS-Type": "wns/tile"], "<toast/>", 400),
        ("windows", ["Content-Type": "application/xml", "X-WNS-Type": "wns/toast"], "<toast>", 400),
        ("windows", xml, "<toast/>", 400),
        ("windows", ["Content-Type": "application/json;charset=utf-8", "X-WNS-Type": "wns/toast"], "<toast/>", 201),
        ("windows", ["Content-Type": #"text/xml;charset="utf-8""#, "X-WNS-Type": "wns/toast"], "<toast/>", 201),
        ("windows", ["Content-Type": "application/json", "X-WNS-Type": "wns/toast"], "{}", 400),
        ("windows", ["Content-Type": "application/octet-stream", "X-WNS-Type": "wns/toast"], "<toast/>", 400),
        ("windows", ["Content-Type": "text/plain", "X-WNS-Type": "wns/toast"], "<toast/>", 400),
        (
            "windowsphone", ["Content-Type": #"text/xml;charset="utf-8""#, "X-NotificationClass": "2"],
            "<Notification/>", 201
        ),
        (
            "windowsphone", ["Content-Type": "application/octet-stream", "X-NotificationClass": "2"],
            "<Notification/>", 400
        ),
        ("windows", ["Content-Type": "application/octet-stream", "X-WNS-Type": "wns/raw"], "bytes", 201),
        (
            "windows", ["Content-Type": "application/octet-stream", "X-WNS-Type": "wns/raw"],
            String(repeating: "x", count: 5121), 400
        ),
        ("windowsphone", ["Content-Type": "application/xml", "X-NotificationClass": "2"], "<Notification/>", 201),
        ("windowsphone", ["Content-Type": "application/xml", "X-NotificationClass": "4"], "<Notification/>", 400),
        ("windowsphone", xml, "<a/>", 400),
        ("windowsphone", ["Content-Type": "application/xml", "X-NotificationClass": "13"], "bytes", 201),
        ("template", [:], #"{"a":"b"}"#, 201), ("template", [:], #"{"a":1}"#, 400),
        ("template", [:], #"{"a":{}}"#, 400),
        ("template", [:], "text", 400), ("template", xml, "{}", 400),
        ("template", [:], #"{"a":""# + String(repeating: "x", count: 65_528) + #""}"#, 201),
        ("template", [:], #"{"a":""# + String(repeating: "x", count: 65_529) + #""}"#, 413),
    ]

    @Test(arguments: bodies)
    func `validates the body, headers and media type of each format`(
        format: String, headers: HubHeaders, body: String, status: Int
    ) throws {
        #expect(try scene.send(body, format: format, tags: "unused", headers).status == status)
    }

    @Test func `sends to a tile's channel by the tile's tags and the installation's ID`() throws {
        let tile =
            #""secondaryTiles":{"s":{"pushChannel":"c","tags":["x"],"templates":{"u":{"body":"<tile>$(a)</tile>","headers":{"X-WNS-Type":"wns/tile"}}}}}"#
        #expect(try scene.putPhone(#""tags":["w"],"# + tile, id: "pc", platform: "wns").status == 200)
        let toast: HubHeaders = ["Content-Type": "application/xml", "X-WNS-Type": "wns/toast"]
        let cases: [(tags: String, native: [String], templates: [String])] = [
            ("w", ["AB01"], []), ("x", ["c"], ["c"]), ("u", [], ["c"]), ("$InstallationId:{pc}", ["AB01", "c"], ["c"]),
        ]
        for (tags, native, templates) in cases {
            let count = scene.emulator.deliveries.count
            try scene.send("<toast/>", format: "windows", tags: tags, toast)
            try scene.send(#"{"a":"<&"}"#, tags: tags)
            let deliveries = scene.emulator.deliveries.dropFirst(count)
            #expect(deliveries.map(\.pushChannel.handle) == native + templates)
            #expect(
                deliveries.filter { $0.templateName == "u" }.map(\.body)
                    == templates.map { _ in "<tile>&lt;&amp;</tile>" })
        }
    }

    @Test func `rejects a message without a media type`() throws {
        let headers: HubHeaders = ["ServiceBusNotification-Format": "template"]
        #expect(try scene.call(.post, "/messages", "api-version=2020-06", headers, "{}").status == 400)
    }

    @Test func `forwards only the platform's headers`() throws {
        try scene.send("{}", format: "apple", tags: "news", ["apns-push-type": "alert", "X-Other": "x"])
        #expect(scene.emulator.deliveries.last?.headers == ["apns-push-type": "alert"])
        try scene.send(
            "<toast/>", format: "windows",
            ["Content-Type": "application/xml", "X-WNS-Type": "wns/toast", "X-WNS-TTL": "60"])
        #expect(scene.emulator.deliveries.last?.headers == ["X-WNS-Type": "wns/toast", "X-WNS-TTL": "60"])
    }

    @Test func `includes a notification ID only in the Standard tier`() throws {
        let response = try scene.send(tags: "t", query: "direct=false&api-version=2015-01")
        #expect(response.headers["Location"] == "\(Scene.endpoint)/push/messages/\(response.id)?api-version=2015-01")
        #expect(response.id.wholeMatch(of: /NH-20300101000000000-[0-9a-f]{32}-[0-9]{2}/) != nil)
        #expect(scene.emulator.deliveries.last?.notificationID.description == response.id)
        #expect(response.headers["X-Powered-By"] == "Azure Notification Hubs")
        #expect(response.body.isEmpty && response.headers["Content-Type"] == nil)
        for tier in [HubEmulator.Tier.free, .basic] {
            #expect(try Scene(tier: tier).send().headers["Location"] == nil)
        }
    }

    // MARK: Broadcasts

    @Test(arguments: [nil, "", " "])
    func `sends a message without tags to all devices and warns`(tags: String?) throws {
        #expect(try scene.send(#"{"aps":{"alert":"a"}}"#, format: "apple", tags: tags).status == 201)
        #expect(scene.reached() == ["phone"])
        let warnings = scene.emulator.warnings.map(\.text).filter { !$0.hasPrefix("installation phone") }
        try #require(warnings.count == 1)
        #expect(
            warnings[0].hasPrefix("broadcast: a message without ServiceBusNotification-Tags goes to every recipient"))
    }

    @Test func `sends the tutorial's request as a broadcast and warns`() throws {
        let response = try scene.call(
            .post, "/messages/", "api-version=2015-01",
            [
                "Content-Type": "application/json;charset=utf-8.", "ServiceBusNotification-Format": "template",
                "Tags": "\"12345\"", "x-ms-version": "2015-01",
            ], #"{"message":"Hello"}"#)
        #expect(response.status == 201)
        #expect(scene.reached() == ["phone/q", "phone/t"])
        let warnings = scene.emulator.warnings
        #expect(warnings.map(\.number) == Array(1...warnings.count))
        let texts = warnings.map(\.text).filter { !$0.hasPrefix("installation phone") }
        try #require(texts.count >= 2)
        #expect(texts[0].hasPrefix("the header Tags: \"12345\" is ignored"))
        #expect(texts[1].hasPrefix("broadcast: "))
    }

    @Test func `treats a message without a format as a template message`() throws {
        try scene.putPhone(#""templates":{"t":{"body":"{\"a\":\"$(b)\"}"}}"#)
        let headers: HubHeaders = ["Content-Type": "application/json", "ServiceBusNotification-Tags": "t"]
        #expect(
            try scene.call(.post, "/messages", "api-version=2015-01", headers, #"{"b":"c"}"#).status == 201)
        #expect(scene.emulator.deliveries.map(\.body) == [#"{"a":"c"}"#])
    }

    // MARK: Direct messages

    @Test(arguments: [
        "api-version=2020-06&direct", "direct=true&api-version=2020-06", "direct&api-version=2020-06",
        "api-version=2020-06&direct=", "direct=&api-version=2020-06",
    ])
    func `sends to a device by its handle`(query: String) throws {
        let headers: HubHeaders = ["ServiceBusNotification-DeviceHandle": "CDef"]
        #expect(try scene.send(#"{"aps":{}}"#, format: "apple", query: query, headers).status == 201)
        #expect(scene.reached() == ["handle CDEF"], "the token is in uppercase, as in an installation")
        #expect(scene.emulator.deliveries.first?.pushChannel.platform == .apple)
        #expect(scene.emulator.deliveries.first?.installationID == nil)
    }

    @Test func `sends to a browser by its endpoint and keys`() throws {
        var headers: HubHeaders = ["ServiceBusNotification-DeviceHandle": "https://e.com/x", "P256DH": "p"]
        #expect(try scene.send("{}", format: "browser", query: "direct&api-version=2020-06", headers).status == 400)
        headers["Auth"] = "a"
        #expect(try scene.send("{}", format: "browser", query: "direct&api-version=2020-06", headers).status == 201)
        #expect(scene.reached() == ["handle https://e.com/x"])
    }

    @Test func `rejects a direct message without a handle, of templates, and as a test send`() throws {
        let headers: HubHeaders = ["ServiceBusNotification-DeviceHandle": "CDEF"]
        #expect(try scene.send("{}", format: "apple", query: "direct&api-version=2020-06").status == 400)
        #expect(try scene.send("{}", query: "direct&api-version=2020-06", headers).status == 400)
        #expect(try scene.send("{}", format: "apple", query: "direct&test&api-version=2020-06", headers).status == 400)
        #expect(scene.reached().isEmpty)
    }

    @Test func `ignores a handle without the flag direct and warns`() throws {
        try scene.send("{}", format: "apple", ["ServiceBusNotification-DeviceHandle": "CDEF"])
        #expect(scene.reached() == ["phone"])
        #expect(scene.emulator.warnings.map(\.text).contains { $0.contains("add the flag direct") })
    }
}
