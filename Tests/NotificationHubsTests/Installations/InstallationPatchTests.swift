import NotificationHubs
import Testing

@Suite struct InstallationPatchTests {
    typealias Patch = Installation.Patch
    let id: Installation.ID

    init() throws {
        id = try Installation.ID(validating: "12345")
    }

    /// Patches and their operations in a request.
    static let cases: [(Patch, String)] = [
        (.addTag("news"), #"{"op":"add","path":"/tags","value":"news"}"#),
        (
            .addTags(["a", "b"]),
            #"{"op":"add","path":"/tags","value":"a"},{"op":"add","path":"/tags","value":"b"}"#
        ),
        (.removeTag("a:b"), #"{"op":"remove","path":"/tags/a:b"}"#),
        (.removeAllTags, #"{"op":"remove","path":"/tags"}"#),
        (.setTags([]), #"{"op":"remove","path":"/tags"}"#),
        (.setTags(["a"]), #"{"op":"replace","path":"/tags","value":"a"}"#),
        (
            .setTags(["a", "b", "c"]),
            """
            {"op":"replace","path":"/tags","value":"a"},{"op":"add","path":"/tags","value":"b"},\
            {"op":"add","path":"/tags","value":"c"}
            """
        ),
        (
            .setTemplate("alert", .init(body: #"{"aps":{"alert":"$(message)"}}"#)),
            #"""
            {"op":"add","path":"/templates/alert","value":"{\"body\":\"{\\\"aps\\\":{\\\"alert\\\":\\\"$(message)\\\"}}\"}"}
            """#
        ),
        (
            .setTemplate(
                "a/b~c d",
                .init(body: "x", headers: ["X-WNS-Type": "wns/raw"], expiry: .expression("$(e)"), tags: ["t"])),
            #"""
            {"op":"add","path":"/templates/a~1b~0c d","value":"{\"body\":\"x\",\"expiry\":\"$(e)\",\#
            \"headers\":{\"X-WNS-Type\":\"wns/raw\"},\"tags\":[\"t\"]}"}
            """#
        ),
        (
            .changeTemplate("a/b", .setBody("{}")),
            #"{"op":"add","path":"/templates/a~1b/body","value":"{}"}"#
        ),
        (
            .changeTemplate("t", .setHeaders(["X-WNS-Type": "wns/toast"])),
            #"{"op":"add","path":"/templates/t/headers","value":"{\"X-WNS-Type\":\"wns/toast\"}"}"#
        ),
        (.changeTemplate("t", .setHeaders([:])), #"{"op":"remove","path":"/templates/t/headers"}"#),
        (
            .changeTemplate("t", .setHeader("X-WNS-Type", to: "wns/raw")),
            #"{"op":"add","path":"/templates/t/headers/X-WNS-Type","value":"wns/raw"}"#
        ),
        (
            .changeTemplate("t", .removeHeader("X-WNS-Tag")),
            #"{"op":"remove","path":"/templates/t/headers/X-WNS-Tag"}"#
        ),
        (
            .changeTemplate("t", .setExpiry(.expression("$(e)"))),
            #"{"op":"add","path":"/templates/t/expiry","value":"$(e)"}"#
        ),
        (.changeTemplate("t", .removeExpiry), #"{"op":"remove","path":"/templates/t/expiry"}"#),
        (
            .changeTemplate("t", .tags(.add(["a", "b"]))),
            #"{"op":"add","path":"/templates/t/tags","value":"a"},{"op":"add","path":"/templates/t/tags","value":"b"}"#
        ),
        (.changeTemplate("t", .tags(.remove(["a"]))), #"{"op":"remove","path":"/templates/t/tags/a"}"#),
        (
            .changeTemplate("t", .tags(.set(["a"]))),
            #"{"op":"replace","path":"/templates/t/tags","value":"a"}"#
        ),
        (
            .changeSecondaryTile("s/1", .setPushChannel(.windows(channelURI: "https://w/?a=%2b"))),
            #"{"op":"add","path":"/secondaryTiles/s~11/pushChannel","value":"https://w/?a=%2b"}"#
        ),
        (.changeSecondaryTile("s", .tags(.set([]))), #"{"op":"remove","path":"/secondaryTiles/s/tags"}"#),
        (
            .changeSecondaryTile("s", .setTemplate("t", .init(body: "x"))),
            #"{"op":"add","path":"/secondaryTiles/s/templates/t","value":"{\"body\":\"x\"}"}"#
        ),
        (
            .changeSecondaryTile("s", .removeTemplate("t")),
            #"{"op":"remove","path":"/secondaryTiles/s/templates/t"}"#
        ),
        (
            .changeSecondaryTile("s", .changeTemplate("t", .setBody("x"))),
            #"{"op":"add","path":"/secondaryTiles/s/templates/t/body","value":"x"}"#
        ),
        (.removeTemplate("~1/"), #"{"op":"remove","path":"/templates/~01~1"}"#),
        (.removeUserID, #"{"op":"remove","path":"/userId"}"#),
        (
            .setPushChannel(.apple(deviceToken: [0xab, 0x01])),
            #"{"op":"replace","path":"/pushChannel","value":"AB01"}"#
        ),
        (
            .setPushChannel(.browser(.init(endpoint: "https://e", p256dh: "p", auth: "a"))),
            #"""
            {"op":"replace","path":"/pushChannel","value":"{\"auth\":\"a\",\"endpoint\":\"https://e\",\"p256dh\":\"p\"}"}
            """#
        ),
    ]

    @Test(arguments: cases)
    func `writes operations with string values`(patch: Patch, operations: String) async throws {
        #expect(try await body([patch]) == "[\(operations)]")
    }

    @Test func `preserves the order of patches`() async throws {
        let user = try Installation.UserID(validating: "zoe=1")
        let expected = #"""
            [{"op":"add","path":"/userId","value":"zoe=1"},{"op":"remove","path":"/tags/a"},\#
            {"op":"add","path":"/tags","value":"b"}]
            """#
        #expect(try await body([.setUserID(user), .removeTag("a"), .addTag("b")]) == expected)
    }

    @Test func `sends the documented request`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        try await NotificationHub.scripted(transport).updateInstallation(id, with: [.addTag("news")])
        let request = try #require(transport.requests.first)
        #expect(request.method == .patch)
        #expect(request.url == "https://contoso.servicebus.windows.net/push/installations/12345?api-version=2020-06")
        #expect(request.headers["Content-Type"] == "application/json-patch+json")
    }

    @Test(arguments: [[], [Patch.addTags([])], [.addTags([]), .addTags([])]])
    func `sends no request without operations`(patches: [Patch]) async throws {
        #expect(try await body(patches) == nil)
    }

    @Test func `removes an invalid tag that a faulty client has added`() async throws {
        let json = #"{"installationId":"i","platform":"apns","pushChannel":"AB","tags":["a,b/c"]}"#
        let broken = try Installation(json: json.utf8).tags
        #expect(try await body(broken.map(Patch.removeTag)) == #"[{"op":"remove","path":"/tags/a,b~1c"}]"#)
        try await expectNotSent([.addTags(broken)])
        try await expectNotSent([.setTags(broken)])
        try await expectNotSent([.setTemplate("t", .init(body: "x", tags: broken))])
        try await expectNotSent([.changeTemplate("t", .tags(.set(broken)))])
    }

    @Test func `rejects invalid patches before sending`() async throws {
        let many = try (0..<61).map { try NotificationHub.Tag(validating: "t\($0)") }
        try await expectNotSent([.addTag("a"), .setTags(many)], containing: "1/tags: 61 tags")
        try await expectNotSent([.addTags(many)], containing: "61 tags")
        try await expectNotSent([.setPushChannel(.apple(deviceToken: []))], containing: "push channel")
        try await expectNotSent(
            [.setPushChannel(.init(platform: .init(rawValue: "fcm"), handle: "a"))], containing: ".fcmV1")
        try await expectNotSent(
            [.setTemplate("t", .init(body: "x", headers: ["": ""]))], containing: "0/templates/t/headers/")
        for change: Installation.Template.Change in [
            .setHeaders(["a": "b\r\nc"]), .setHeader("a b", to: "c"), .removeHeader(""), .tags(.add(many)),
        ] {
            try await expectNotSent([.changeTemplate("t", change)], containing: "0/templates/t/")
            let inTile = Patch.changeSecondaryTile("s", .changeTemplate("t", change))
            try await expectNotSent([inTile], containing: "0/secondaryTiles/s/templates/t/")
        }
        try await expectNotSent(
            [.changeSecondaryTile("", .tags(.add(["a"])))], containing: "a tile's ID must not be empty")
        try await expectNotSent(
            [.changeSecondaryTile("s", .setPushChannel(.windows(channelURI: "")))], containing: "push channel must")
        let json = #"{"installationId":"i","platform":"apns","pushChannel":"AB","userId":"a b","tags":[""]}"#
        let read = try Installation(json: json.utf8)
        try await expectNotSent([.setUserID(try #require(read.userID))], containing: "user's ID")
        try await expectNotSent(read.tags.map(Patch.removeTag), containing: "tag must not be empty")
    }

    @Test(arguments: [(200, true), (404, false)])
    func `returns whether an installation exists`(status: Int, exists: Bool) async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: status, body: Array("anything".utf8)) }
        #expect(try await NotificationHub.scripted(transport).installationExists(id) == exists)
        #expect(transport.requests.map(\.method) == [.get])
    }

    @Test(arguments: [400, 401, 403, 429, 500])
    func `throws on any other status`(status: Int) async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: status) }
        let hub = try NotificationHub.scripted(transport)
        await #expect(throws: HubError.self) { try await hub.installationExists(id) }
        await #expect(throws: HubError.self) { try await hub.updateInstallation(id, with: [.removeUserID]) }
    }

    /// Returns the body of the request, or `nil` if none is sent.
    private func body(_ patches: [Patch]) async throws -> String? {
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        try await NotificationHub.scripted(transport).updateInstallation(id, with: patches)
        return transport.requests.first.map { String(decoding: $0.body, as: UTF8.self) }
    }

    private func expectNotSent(
        _ patches: [Patch], containing text: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = await #expect(throws: HubValidationError.self, sourceLocation: sourceLocation) {
            try await body(patches)
        }
        let description = error?.description ?? ""
        #expect(text.isEmpty || description.contains(text), "\(description)", sourceLocation: sourceLocation)
    }
}
