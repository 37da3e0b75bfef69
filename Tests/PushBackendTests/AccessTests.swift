import Foundation
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend
import Testing

/// Access to each route by kind of caller, and the absence of side effects for rejected requests.
@Suite struct AccessTests {
    /// A request. `{payload}` is replaced by the ID of one of alice's payloads.
    struct Call: CustomTestStringConvertible, Sendable {
        let method: String
        let target: String
        var body: String?
        /// The status for alice, the owner.
        let own: Int
        /// The status for bob.
        let other: Int

        var testDescription: String { "\(method) \(target)" }
    }

    static let calls = [
        Call(method: "POST", target: "/api/register?handle=AB02", own: 200, other: 200),
        Call(method: "POST", target: "/api/register", body: #"{"handle":"AB02"}"#, own: 200, other: 200),
        Call(
            method: "PUT", target: "/api/register/1-1-1", body: #"{"platform":"apns","handle":"AB02"}"#, own: 200,
            other: 410),
        Call(method: "DELETE", target: "/api/register/1-1-1", own: 200, other: 404),
        Call(
            method: "PUT", target: "/api/installations/phone", body: #"{"platform":"apns","pushChannel":"AB01"}"#,
            own: 200, other: 410),
        Call(method: "DELETE", target: "/api/installations/phone", own: 200, other: 404),
        Call(method: "GET", target: "/api/notifications/{payload}", own: 200, other: 404),
        Call(method: "HEAD", target: "/api/notifications/{payload}", own: 200, other: 404),
        Call(method: "POST", target: "/api/notifications", body: #""Hi""#, own: 200, other: 200),
    ]

    enum Caller: CaseIterable, Sendable {
        case anonymous, wrongPassword, wrongCase, duplicateHeader, otherScheme, garbage, expired, other, own

        var authorization: String? {
            switch self {
            case .anonymous: nil
            case .wrongPassword: BackendScene.basic("alice", "secret of bob")
            case .wrongCase: BackendScene.basic("Alice", "secret of alice")
            // Two headers, joined by the server.
            case .duplicateHeader: BackendScene.basic("bob", "secret of bob") + ", " + BackendScene.basic("alice", "x")
            case .otherScheme: "Digest username=\"alice\""
            case .garbage: "Basic \u{7f}é%00"
            case .expired: BackendScene.bearer("alice")
            case .other: BackendScene.basic("bob", "secret of bob")
            case .own: BackendScene.basic("alice", "secret of alice")
            }
        }
    }

    @Test(arguments: calls, Caller.allCases)
    func `grants access only to the owner, and rejects other requests without side effects`(call: Call, caller: Caller)
        async throws
    {
        let store = MemoryPayloadStore()
        let scene = try BackendScene(mode: .securePush(store: store), store: store)
        await scene.putPhone("phone", as: "alice")
        await scene.register("1-1-1", handle: "AB02", as: "alice")
        let alice = AppBackend.User(name: "alice")
        let id = try await store.insert(.init(text: "secret", user: alice, expiry: .distantFuture))
        let before = (scene.emulator.installations, scene.deliveredHandles, try await scene.registrations())
        // The token expires after an hour.
        scene.advanceClock(by: 3600)

        var headers: HubHeaders = [:]
        if let authorization = caller.authorization {
            headers = .init(_: [("Authorization", authorization)])
        }
        let response = await scene.call(
            call.method, call.target.replacing("{payload}", with: id.rawValue), call.body, as: nil, headers: headers)
        switch caller {
        case .own: #expect(response.status == call.own)
        case .other: #expect(response.status == call.other)
        default:
            #expect(response.status == 401)
            #expect(response.headers["WWW-Authenticate"]?.contains("realm=") == true)
        }
        if response.status >= 400 { #expect(call.method == "HEAD" ? response.body.isEmpty : response.error != nil) }
        #expect(!response.text.contains("secret") || call.method == "GET" && caller == .own)
        if caller != .own {
            #expect(scene.emulator.installations == before.0)
            #expect(scene.deliveredHandles == before.1)
            #expect(try await scene.registrations() == before.2)
            #expect(await store.payload(id, of: alice) != nil)
        }
    }

    @Test(arguments: calls)
    func `returns 503 if the authenticator fails`(call: Call) async throws {
        let scene = try BackendScene(.securePush)
        let response = await scene.call(call.method, call.target, call.body, as: "unreachable")
        #expect(response.status == 503)
        #expect(scene.events.last?.error is BackendScene.AccountsAreDown)
        #expect(!response.text.contains("AccountsAreDown"))
    }

    @Test func `does not take an error of the authenticator for one of the request`() async throws {
        let backend = AppBackend(
            hub: try BackendScene().hub,
            authenticator: AppBackend.BearerAuthenticator { try NotificationHub.Tag(validating: $0).rawValue },
            mode: .notifyUsers())
        let response = await backend.respond(
            to: .init(method: "POST", target: "/api/register", headers: [("Authorization", "Bearer a+b")], body: []))
        #expect(response.status == 503)
    }

    /// Guessed IDs, wildcards, expressions, and attempts to leave the path segment.
    static let guesses = [
        "1", "2147483647", "0", "AAAAAAAAAAAAAAAAAAAAAA", "*", "%2a", "phone%00", "PHONE", "phone.", "phone%20",
        "%70hone2",
        "../installations/phone", "..%2Fphone", "%2e%2e%2fphone", "x/../phone", "x%2F..%2Fphone", "phone%2f", "phone/",
        ".%2e",
        "phone;x", "phone%3Fa", "phone%23", "%ef%bc%8e%ef%bc%8e", "%c0%ae%c0%ae", "phone%5c..",
        "$InstallationId:%7Bphone%7D",
    ]

    @Test(arguments: guesses)
    func `returns 404 for a guessed ID or a path traversal`(id: String) async throws {
        let scene = try BackendScene(.securePush)
        await scene.putPhone("phone", as: "alice")
        let before = scene.emulator.installations
        for user in ["alice", "bob"] {
            for (method, path) in [("DELETE", "installations"), ("DELETE", "register"), ("GET", "notifications")] {
                let response = await scene.call(method, "/api/\(path)/\(id)", as: user)
                // The emulator ignores the case of IDs.
                #expect(response.status == 404 || id == "PHONE" && path == "installations")
            }
        }
        #expect(scene.emulator.installations == before || id == "PHONE")
    }

    /// Invalid bodies for every route that accepts a body.
    static let bodies: [(name: String, type: String?, body: [UInt8], status: Int)] = [
        (
            "too large", "application/json",
            Array("\"".utf8) + Array(repeating: UInt8(ascii: "x"), count: 65_536) + Array("\"".utf8), 413
        ),
        ("missing type", nil, Array("{}".utf8), 415),
        ("a form", "application/x-www-form-urlencoded", Array("platform=apns".utf8), 415),
        ("plain text", "text/plain", Array("\"Hi\"".utf8), 415),
        ("another charset", "application/json; charset=utf-16", Array("{}".utf8), 415),
        ("another charset, after a tab", "application/json;\tcharset=latin1", Array("{}".utf8), 415),
        ("another charset, hidden", "application/json;CHARSET=\"latin1\"", Array("{}".utf8), 415),
        ("invalid UTF-8", "application/json", Array("{\"platform\":\"".utf8) + [0xff, 0xfe] + Array("\"}".utf8), 400),
        ("a lone surrogate", "application/json", Array(#"{"platform":"\ud800"}"#.utf8), 400),
        ("a byte order mark", "application/json", [0xef, 0xbb, 0xbf] + Array("{}".utf8), 400),
        ("deep and incomplete", "application/json", Array(repeating: UInt8(ascii: "["), count: 60_000), 400),
        (
            "deep and complete", "application/json",
            Array((String(repeating: "{\"a\":", count: 65) + "1" + String(repeating: "}", count: 65)).utf8), 400
        ),
        ("truncated", "application/json", Array(#"{"platform":"apns","pushChannel":"AB01""#.utf8), 400),
        ("a duplicate name", "application/json", Array(#"{"platform":"apns","platform":"wns"}"#.utf8), 400),
        ("two values", "application/json", Array("{}{}".utf8), 400),
        ("spaces", "application/json", Array("  ".utf8), 400),
    ]

    @Test(arguments: [(#""Hi""#, 200), (#""Hi!""#, 413)])
    func `limits the length of a body`(body: String, status: Int) async throws {
        let backend = AppBackend(
            hub: try BackendScene().hub, authenticator: AppBackend.BasicAuthenticator { name, _ in name },
            mode: .notifyUsers(), options: .init(maximumBodyByteCount: 4))
        let headers: HubHeaders = [
            "Authorization": BackendScene.basic("alice", "secret"), "Content-Type": "application/json",
        ]
        let request = AppBackend.Request(
            method: "POST", target: "/api/notifications", headers: headers, body: body.utf8)
        #expect(await backend.respond(to: request).status == status)
    }

    @Test(arguments: calls.filter { $0.body != nil })
    func `returns 413 for a truncated body`(call: Call) async throws {
        let scene = try BackendScene(.securePush)
        let headers: HubHeaders = [
            "Authorization": BackendScene.basic("alice", "secret of alice"), "Content-Type": "application/json",
        ]
        let response = await scene.backend.respond(
            to: .init(
                method: call.method, target: call.target, headers: headers, body: Array("{".utf8), isBodyTruncated: true
            ))
        #expect(response.status == 413)
        #expect(response.error != nil)
    }

    @Test(arguments: bodies.indices, calls.filter { $0.body != nil })
    func `rejects an invalid body without storing or sending anything`(index: Int, call: Call) async throws {
        let invalid = Self.bodies[index]
        let store = MemoryPayloadStore(ids: .text, limits: .init(countPerUser: 1))
        let scene = try BackendScene(mode: .securePush(store: store), store: store)
        var headers: HubHeaders = ["Authorization": BackendScene.basic("alice", "secret of alice")]
        headers["Content-Type"] = invalid.type
        let parts = call.target.split(separator: "?", maxSplits: 1).map(String.init)
        let response = await scene.backend.respond(
            to: .init(method: call.method, target: parts[0], headers: headers, body: invalid.body))
        #expect(response.status == invalid.status, "\(invalid.name)")
        #expect(response.error != nil)
        #expect(scene.emulator.installations.isEmpty && scene.deliveredHandles.isEmpty)
        #expect(try await scene.registrations().isEmpty)
        // The rejected request must not use up the limit of one payload.
        #expect(await scene.call("POST", "/api/notifications", "\"Hi\"", as: "alice").status == 200)
    }

    @Test(arguments: [
        "application/json", "Application/JSON", "application/json; charset=utf-8", "text/json;charset=\"UTF-8\"",
        "application/json; x=y", "application/json;\tcharset=utf-8",
    ])
    func `accepts JSON content types`(type: String) async throws {
        let scene = try BackendScene()
        let response = await scene.call(
            "POST", "/api/notifications", "\"Hi\"", as: "alice", headers: ["Content-Type": type])
        #expect(response.status == 200)
    }
}
