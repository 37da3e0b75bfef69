import HubTestSupport
import NotificationHubs
import Testing

@Suite struct InstallationPatchReadingTests {
    typealias Patch = Installation.Patch

    /// Operations as other SDKs write them, and the equivalent patches.
    static let cases: [(String, [Patch])] = [
        ("[]", []), (#"[{"op":"add","path":"/tags","value":"news"}]"#, [.addTag("news")]),
        (#"[{"op":"add","path":"/tags","value":["a","b"]}]"#, [.addTags(["a", "b"])]),
        (#"[{"op":"add","path":"/tags/-","value":"a"}]"#, [.addTag("a")]),
        (#"[{"op":"replace","path":"/tags","value":["a","b"]}]"#, [.setTags(["a", "b"])]),
        (#"[{"op":"replace","path":"/tags","value":[]}]"#, [.removeAllTags]),
        (#"[{"op":"replace","path":"/tags","value":"a"}]"#, [.setTags(["a"])]),
        (#"[{"op":"remove","path":"/tags","value":null}]"#, [.removeAllTags]),
        (#"[{"op":"remove","path":"/tags/a:b"}]"#, [.removeTag("a:b")]),
        (
            #"[{"op":"add","path":"/templates/~01~1","value":{"body":"x","tags":["t"]}}]"#,
            [.setTemplate("~1/", .init(body: "x", tags: ["t"]))]
        ),
        (
            #"[{"op":"replace","path":"/templates/t","value":"{\"body\":\"x\"}"}]"#,
            [.setTemplate("t", .init(body: "x"))]
        ),
        (#"[{"op":"remove","path":"/templates/t"}]"#, [.removeTemplate("t")]),
        (
            #"[{"op":"replace","path":"/templates/t/body","value":"x"},{"op":"remove","path":"/templates/t/expiry"}]"#,
            [.changeTemplate("t", .setBody("x")), .changeTemplate("t", .removeExpiry)]
        ),
        (
            #"[{"op":"add","path":"/templates/t/headers","value":"{\"a\":\"b\"}"}]"#,
            [.changeTemplate("t", .setHeaders(["a": "b"]))]
        ),
        (
            #"[{"op":"add","path":"/templates/t/headers","value":{"a":"b"}}]"#,
            [.changeTemplate("t", .setHeaders(["a": "b"]))]
        ),
        (#"[{"op":"remove","path":"/templates/t/headers"}]"#, [.changeTemplate("t", .setHeaders([:]))]),
        (
            #"[{"op":"add","path":"/templates/t/headers/a","value":"b"},{"op":"remove","path":"/templates/t/headers/c"}]"#,
            [.changeTemplate("t", .setHeader("a", to: "b")), .changeTemplate("t", .removeHeader("c"))]
        ),
        (
            #"[{"op":"add","path":"/templates/t/expiry","value":"$(e)"}]"#,
            [.changeTemplate("t", .setExpiry(.expression("$(e)")))]
        ),
        (
            #"[{"op":"add","path":"/templates/t/tags/-","value":"a"},{"op":"remove","path":"/templates/t/tags/b"}]"#,
            [.changeTemplate("t", .tags(.add(["a"]))), .changeTemplate("t", .tags(.remove(["b"])))]
        ),
        (
            #"[{"op":"replace","path":"/secondaryTiles/s/pushChannel","value":"c"}]"#,
            [.changeSecondaryTile("s", .setPushChannel(.windows(channelURI: "c")))]
        ),
        (
            #"[{"op":"add","path":"/secondaryTiles/s/tags","value":["a"]}]"#,
            [.changeSecondaryTile("s", .tags(.add(["a"])))]
        ),
        (
            #"[{"op":"add","path":"/secondaryTiles/s/templates/t","value":"{\"body\":\"x\"}"}]"#,
            [.changeSecondaryTile("s", .setTemplate("t", .init(body: "x")))]
        ),
        (
            #"[{"op":"remove","path":"/secondaryTiles/s/templates/t"}]"#,
            [.changeSecondaryTile("s", .removeTemplate("t"))]
        ),
        (
            #"[{"op":"replace","path":"/secondaryTiles/s/templates/t/body","value":"x"}]"#,
            [.changeSecondaryTile("s", .changeTemplate("t", .setBody("x")))]
        ),
        (
            #"[{"op":"remove","path":"/userId"},{"op":"add","path":"/tags","value":"a"}]"#,
            [.removeUserID, .addTag("a")]
        ),
        (
            #"[{"op":"add","path":"/pushChannel","value":{"endpoint":"e","p256dh":"p","auth":"a"}}]"#,
            [.setPushChannel(.browser(.init(endpoint: "e", p256dh: "p", auth: "a")))]
        ),
    ]

    @Test(arguments: cases)
    func `parses operations into typed patches`(json: String, patches: [Patch]) throws {
        #expect(try Patch.patches(json: json.utf8) == patches)
    }

    /// The patches that are read for patches with several operations, or with a platform, which operations do not contain.
    static let patchesRead: [Patch: [Patch]] = [
        .addTags(["a", "b"]): [.addTag("a"), .addTag("b")],
        .setTags(["a", "b", "c"]): [.setTags(["a"]), .addTag("b"), .addTag("c")],
        .changeTemplate("t", .tags(.add(["a", "b"]))): ["a", "b"].map { .changeTemplate("t", .tags(.add([$0]))) },
        .setPushChannel(.apple(deviceToken: [0xab, 0x01])): [setChannel("AB01")],
        .setPushChannel(.browser(.init(endpoint: "https://e", p256dh: "p", auth: "a"))): [
            setChannel(#"{"auth":"a","endpoint":"https://e","p256dh":"p"}"#)
        ],
    ]

    private static func setChannel(_ handle: String) -> Patch {
        .setPushChannel(.init(platform: .init(rawValue: "unknown"), handle: handle))
    }

    @Test(arguments: InstallationPatchTests.cases)
    func `reads what the client has written`(patch: Patch, operations: String) async throws {
        let patches = try Patch.patches(json: "[\(operations)]".utf8)
        #expect(patches == Self.patchesRead[patch] ?? [patch])
        #expect(try await sent(patches) == "[\(operations)]")
    }

    @Test func `reads corrupted patches back unchanged or rejects them`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let original = Array("[\(InstallationPatchTests.cases.map(\.1).joined(separator: ","))]".utf8)
        var count = 0
        for _ in 0..<500 {
            guard let patches = try? Patch.patches(json: random.corrupted(original)),
                let body = try? await sent(patches)
            else { continue }
            #expect(try await sent(body) == body, "seed \(seed)")
            count += 1
        }
        #expect(count > 0, "seed \(seed)")
    }

    @Test func `sends a channel of any platform unchanged`() async throws {
        let json = #"[{"op":"replace","path":"/pushChannel","value":"AB01"}]"#
        #expect(try await sent(json) == json)
        try await expectNotSent(#"[{"op":"replace","path":"/pushChannel","value":""}]"#)
    }

    @Test func `splits an array of tags into operations and sets a user ID`() async throws {
        let json =
            #"[{"op":"replace","path":"/tags","value":["a","b"]},{"op":"replace","path":"/userId","value":"zoe"}]"#
        let expected = """
            [{"op":"replace","path":"/tags","value":"a"},{"op":"add","path":"/tags","value":"b"},\
            {"op":"add","path":"/userId","value":"zoe"}]
            """
        #expect(try await sent(json) == expected)
    }

    @Test(arguments: [
        #"[{"op":"add","path":"/tags","value":"a b"}]"#, #"[{"op":"add","path":"/userId","value":"a b"}]"#,
        #"[{"op":"remove","path":"/tags/"}]"#, #"[{"op":"add","path":"/templates/a:b/body","value":"x"}]"#,
        #"[{"op":"add","path":"/templates/t/headers/a b","value":"x"}]"#,
        #"[{"op":"add","path":"/templates/a:b","value":{"body":"x"}}]"#,
    ])
    func `rejects invalid values before sending`(json: String) async throws {
        try await expectNotSent(json)
    }

    @Test(arguments: [
        ("", "invalid JSON: missing value at byte 0"), ("{}", "expected an array"),
        ("[1]", "0: expected an object"), (#"[{"path":"/tags"}]"#, "0/op: missing"),
        (#"[{"op":"add"}]"#, "0/path: missing"),
        (#"[{"op":"add","path":"tags"}]"#, "0/path: must begin with /"),
        (#"[{"op":"add","path":"/a~2"}]"#, "0/path: ~ must be followed by 0 or 1"),
        (#"[{"op":"add","path":"/tags"}]"#, "0/value: missing"),
        (#"[{"op":"add","path":"/tags","value":1}]"#, "0/value: expected a string"),
        (
            #"[{"op":"remove","path":"/userId"},{"op":"replace","path":"/tags","value":"a,b"}]"#,
            "1/value: a tag cannot contain a comma: use an array"
        ),
        (
            #"[{"op":"add","path":"/tags","value":["a","b,c"]}]"#,
            "0/value/1: a tag cannot contain a comma: use an array"
        ),
        (#"[{"op":"add","path":"/tags","value":[]}]"#, "0/value: expected at least one tag"),
        (#"[{"op":"test","path":"/tags","value":"a"}]"#, "0/op: expected add, replace or remove"),
        (#"[{"op":"add","path":"/userID","value":"a"}]"#, "0/path: add does not support this path"),
        (#"[{"op":"replace","path":"/tags/a","value":"b"}]"#, "0/path: replace does not support this path"),
        (#"[{"op":"remove","path":"/pushChannel"}]"#, "0/path: remove does not support this path"),
        (#"[{"op":"remove","path":"/templates/t/body"}]"#, "0/path: remove does not support this path"),
        (#"[{"op":"add","path":"/templates/t/other","value":"b"}]"#, "0/path: add does not support this path"),
        (
            #"[{"op":"add","path":"/templates/t/body/x","value":"b"}]"#,
            "0/path: add does not support this path"
        ),
        (#"[{"op":"add","path":"/templates","value":"{}"}]"#, "0/path: add does not support this path"),
        (
            #"[{"op":"add","path":"/templates/t/tags","value":"a,b"}]"#,
            "0/value: a tag cannot contain a comma: use an array"
        ),
        (#"[{"op":"add","path":"/templates/t/headers","value":"[]"}]"#, "0/value: expected an object"),
        (#"[{"op":"remove","path":"/secondaryTiles/s"}]"#, "0/path: remove does not support this path"),
        (
            #"[{"op":"add","path":"/secondaryTiles/s/userId","value":"x"}]"#,
            "0/path: add does not support this path"
        ),
        (#"[{"op":"add","path":"/pushVariables/v","value":"b"}]"#, "0/path: add does not support this path"),
        (
            #"[{"op":"add","path":"/templates/t","value":"b"}]"#,
            "0/value: invalid JSON: expected a value at byte 0"
        ),
        (#"[{"op":"add","path":"/templates/t","value":{}}]"#, "0/value/body: missing"),
    ])
    func `rejects unsupported and invalid operations`(json: String, problem: String) {
        let error = #expect(throws: HubValidationError.self) { try Patch.patches(json: json.utf8) }
        #expect(error?.description == problem)
    }

    private func sent(_ json: String) async throws -> String { try await sent(Patch.patches(json: json.utf8)) }

    private func sent(_ patches: [Patch]) async throws -> String {
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        let hub = try NotificationHub.scripted(transport)
        try await hub.updateInstallation(
            try Installation.ID(validating: "12345"), with: patches)
        return String(decoding: transport.requests.first?.body ?? [], as: UTF8.self)
    }

    private func expectNotSent(_ json: String) async throws {
        await #expect(throws: HubValidationError.self) { try await sent(json) }
    }
}
