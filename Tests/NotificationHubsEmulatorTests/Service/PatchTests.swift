import HubText
import NotificationHubs
import SharedAccessSignature
import Testing

@testable import NotificationHubsEmulator

@Suite struct PatchTests {
    static let phone = #"""
        "userId":"zoe","tags":["a","b"],"pushVariables":{"v":"1"},"templates":{"t":{"body":"{\"a\":\"$(x)\"}","headers":{"apns-topic":"n"}}}
        """#

    /// Patches, and the strings that the patched installation must contain, or must not contain after a leading `!`.
    static let patches: [(String, [String])] = [
        (#"[{"op":"add","path":"/tags","value":"c"}]"#, [#""tags":["a","b","c"]"#]),
        (#"[{"op":"add","path":"/tags","value":"a"}]"#, [#""tags":["a","b"]"#]),
        (#"[{"op":"add","path":"/tags","value":["c","b","d"]}]"#, [#""tags":["a","b","c","d"]"#]),
        (#"[{"op":"add","path":"/tags/-","value":"c"}]"#, [#""tags":["a","b","c"]"#]),
        (#"[{"op":"replace","path":"/tags","value":["c"]}]"#, [#""tags":["c"]"#]),
        (#"[{"op":"replace","path":"/tags","value":"c,d"}]"#, [#""tags":["c,d"]"#]),
        (#"[{"op":"remove","path":"/tags/a"}]"#, [#""tags":["b"]"#]),
        (
            #"[{"op":"remove","path":"/tags/a","value":null},{"op":"remove","path":"/tags/b"}]"#,
            [#"9999999Z","pushVariables""#]
        ),
        (#"[{"op":"remove","path":"/tags"}]"#, [#"9999999Z","pushVariables""#]),
        (#"[{"op":"remove","path":"/tags/absent"}]"#, [#""tags":["a","b"]"#]),
        (#"[{"op":"add","path":"/userId","value":"max"}]"#, [#""userId":"max""#]),
        (#"[{"op":"replace","path":"/userId","value":"max"}]"#, [#""userId":"max""#]),
        (#"[{"op":"remove","path":"/userId"}]"#, ["!userId"]),
        (#"[{"op":"replace","path":"/pushChannel","value":"CD"}]"#, [#""pushChannel":"CD""#]),
        (
            #"[{"op":"add","path":"/templates/u","value":"{\"body\":\"{}\",\"tags\":[\"z\"]}"}]"#,
            [#""u":{"body":"{}","tags":["z"]}"#, #""t":{"#]
        ),
        (
            #"[{"op":"replace","path":"/templates/t","value":"{\"body\":\"{}\"}"}]"#,
            [#""templates":{"t":{"body":"{}","tags":["t"]}}"#]
        ),
        (
            #"[{"op":"add","path":"/templates/a~1b~0c","value":"{\"body\":\"{}\"}"}]"#,
            [#""a/b~c":{"body":"{}","tags":["a/b~c"]}"#]
        ),
        (#"[{"op":"remove","path":"/templates/t"}]"#, ["!templates"]),
        (#"[{"op":"replace","path":"/templates/t/body","value":"{\"b\":1}"}]"#, [#""body":"{\"b\":1}""#]),
        (
            #"[{"op":"add","path":"/templates/t/headers","value":"{\"apns-priority\":\"5\"}"}]"#,
            [#""headers":{"apns-priority":"5"}"#]
        ),
        (
            #"[{"op":"add","path":"/templates/t/headers/apns-priority","value":"5"}]"#,
            [#""headers":{"apns-priority":"5","apns-topic":"n"}"#]
        ),
        (#"[{"op":"remove","path":"/templates/t/headers/apns-topic"}]"#, ["!headers"]),
        (#"[{"op":"add","path":"/templates/t/expiry","value":"$(when)"}]"#, [#""expiry":"$(when)""#]),
        (#"[{"op":"add","path":"/templates/t/tags","value":"z"}]"#, [#""tags":["t","z"]"#]),
        (#"[{"op":"remove","path":"/templates/t/tags/t"}]"#, [#""tags":["t"]"#]),
        ("[]", [#""tags":["a","b"]"#]),
    ]

    @Test(arguments: patches)
    func `changes the value at a path`(patch: String, parts: [String]) throws {
        let scene = try Scene()
        #expect(try scene.putPhone(Self.phone).status == 200)
        let response = try scene.patch(patch)
        #expect((response.status, response.body) == (200, []))
        let json = try scene.get()
        for part in parts {
            let isAbsent = part.hasPrefix("!")
            #expect(json.contains(isAbsent ? String(part.dropFirst()) : part) != isAbsent, "\(part) in \(json)")
        }
        #expect(json.contains(#""pushVariables":{"v":"1"}"#))
    }

    @Test(arguments: [
        "", "{}", "[1]", #"[{"op":"add"}]"#, #"[{"op":"test","path":"/userId","value":"a"}]"#,
        #"[{"op":"add","path":"tags","value":"a"}]"#, #"[{"op":"add","path":"/","value":"a"}]"#,
        #"[{"op":"add","path":"/tags"}]"#, #"[{"op":"add","path":"/tags","value":1}]"#,
        #"[{"op":"add","path":"/tags","value":["a",1]}]"#, #"[{"op":"add","path":"/tags/x","value":"a"}]"#,
        #"[{"op":"add","path":"/templates/x","value":{"body":"{}"}}]"#,
        #"[{"op":"add","path":"/templates/new/body","value":"{}"}]"#,
        #"[{"op":"add","path":"/templates/x","value":"{}"}]"#,
        #"[{"op":"add","path":"/templates/x","value":"{\"body\":\"<\"}"}]"#,
        #"[{"op":"add","path":"/templates/x/expiry","value":"soon"}]"#,
        #"[{"op":"remove","path":"/pushChannel"}]"#, #"[{"op":"remove","path":"/templates/t/body"}]"#,
        #"[{"op":"replace","path":"/installationId","value":"x"}]"#,
        #"[{"op":"replace","path":"/platform","value":"x"}]"#,
        #"[{"op":"add","path":"/pushVariables/v","value":"2"}]"#,
        #"[{"op":"add","path":"/expirationTime","value":"2031-01-01T00:00:00Z"}]"#,
        #"[{"op":"add","path":"/userId","value":"a b"}]"#,
        #"[{"op":"add","path":"/secondaryTiles/x/tags","value":"a"}]"#,
        #"[{"op":"remove","path":"/userId"},{"op":"replace","path":"/userId","value":null}]"#,
    ])
    func `rejects an unsupported patch without any change`(patch: String) throws {
        let scene = try Scene()
        try scene.putPhone(Self.phone)
        let before = try scene.get()
        #expect(try scene.patch(patch).status == 400)
        #expect(try scene.get() == before)
    }

    @Test func `changes secondary tiles`() throws {
        let scene = try Scene()
        try scene.putPhone(platform: "wns")
        let patches = [
            #"[{"op":"add","path":"/secondaryTiles/s","value":"{\"pushChannel\":\"c\"}"}]"#,
            #"[{"op":"replace","path":"/secondaryTiles/s/pushChannel","value":"d"},{"op":"add","path":"/secondaryTiles/s/tags","value":["x"]}]"#,
            #"[{"op":"add","path":"/secondaryTiles/s/templates/t","value":"{\"body\":\"<tile/>\",\"headers\":{\"X-WNS-Type\":\"wns/tile\"}}"}]"#,
        ]
        for patch in patches { #expect(try scene.patch(patch).status == 200) }
        let tile =
            #""secondaryTiles":{"s":{"pushChannel":"d","tags":["x"],"templates":{"t":{"body":"<tile/>","headers":{"X-WNS-Type":"wns/tile"},"tags":["t"]}}}}"#
        #expect(try scene.get().contains(tile))
        #expect(try scene.patch(#"[{"op":"remove","path":"/secondaryTiles/s"}]"#).status == 200)
        #expect(try !scene.get().contains("secondaryTiles"))
    }

    @Test func `applies a patch to an installation that changed since the patch was checked`() throws {
        let scene = try Scene()
        try scene.putPhone(#""tags":["first"]"#)
        let request = HubRequest(
            .patch, endpoint: try ServiceEndpoint(Scene.endpoint, isDevelopmentEmulator: true),
            path: "/push/installations/phone", query: "api-version=2020-06", headers: [:],
            body: Array(#"[{"op":"add","path":"/tags","value":["patched"]}]"#.utf8))
        let stored = scene.emulator.installations[0]
        let call = ServiceCall(
            request: request, query: QueryString(request.query), hubName: "push", tier: .standard,
            profile: .service2024, now: Scene.start, due: Scene.start, isBroadcastIntended: false
        ) { _ in stored }
        let change = try HubState.patchInstallation(call, "phone")
        try scene.putPhone(#""tags":["second"]"#)
        #expect(try scene.emulator.mutate { try change(&$0) }.status == 200)
        #expect(scene.emulator.installations[0].tags == ["second", "patched"])
    }

    @Test func `applies all of several concurrent patches`() async throws {
        let scene = try Scene()
        try scene.putPhone(#""tags":["first"]"#)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 1...40 {
                group.addTask { try scene.patch(#"[{"op":"add","path":"/tags","value":["t\#(number)"]}]"#).status }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(scene.emulator.installations[0].tags.count == 41)
    }

    @Test func `stores comma-separated tags as one tag and warns`() throws {
        let scene = try Scene()
        try scene.putPhone(Self.phone)
        #expect(try scene.patch(#"[{"op":"replace","path":"/tags","value":"c,d"}]"#).status == 200)
        for tag in ["c", "d"] { try scene.send(tags: tag) }
        #expect(scene.reached().isEmpty)
        #expect(scene.emulator.warnings.count { $0.text.contains(#""c,d" is stored as one tag"#) } == 1)
        #expect(try scene.patch(#"[{"op":"remove","path":"/tags/c,d"}]"#).status == 200)
        #expect(try !scene.get().contains("c,d"))
    }

    @Test func `creates installations that can seed another hub`() throws {
        let scene = try Scene()
        try scene.putPhone(Self.phone)
        #expect(try scene.patch(#"[{"op":"replace","path":"/tags","value":"c,d"}]"#).status == 200)
        let other = try Scene(options: .init(writeDelay: .seconds(5)))
        for installation in scene.emulator.installations { try other.emulator.seed(installation) }
        #expect(other.emulator.installations == scene.emulator.installations)
    }

    @Test func `limits the tags after each operation and the number of operations`() throws {
        let scene = try Scene()
        try scene.putPhone(#""tags":["a"]"#)
        func patch(_ operations: [String]) throws -> Int {
            try scene.patch("[\(operations.joined(separator: ","))]").status
        }
        let removal = #"{"op":"remove","path":"/tags"}"#
        let additions = (1...60).map { #"{"op":"add","path":"/tags","value":"t\#($0)"}"# }
        #expect(try patch(additions + [removal]) == 400)
        #expect(try patch(Array(repeating: removal, count: 1001)) == 400)
        #expect(try scene.get().contains(#""tags":["a"]"#))
        #expect(try patch(Array(repeating: removal, count: 1000)) == 200)
    }

    @Test func `patches the result of queued writes`() throws {
        let scene = try Scene(options: .init(writeDelay: .seconds(5)))
        #expect(try scene.patch(#"[{"op":"add","path":"/tags","value":"c"}]"#).status == 404)
        try scene.putPhone(#""tags":["a"]"#)
        scene.wait(1)
        #expect(try scene.patch(#"[{"op":"add","path":"/tags","value":"b"}]"#).status == 200)
        #expect(try scene.patch(#"[{"op":"add","path":"/tags","value":"c"}]"#).status == 200)
        scene.wait(4)
        #expect(try scene.get().contains(#""tags":["a"]"#))
        scene.wait(1)
        #expect(try scene.get().contains(#""tags":["a","b","c"]"#))
        try scene.call(.delete, "/installations/phone")
        #expect(try scene.patch(#"[{"op":"add","path":"/tags","value":"d"}]"#).status == 404)
    }
}
