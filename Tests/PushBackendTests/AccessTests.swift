import Foundation
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend
import Testing

/// Every route, by who asks: what each gets, and that whoever may not changes nothing.
@Suite struct AccessTests {
    /// A request; `{payload}` stands for the id of a payload of alice's.
    struct Call: CustomTestStringConvertible, Sendable {
        let method: String
        let target: String
        var body: String?
        /// What alice gets, whose things they are.
        let own: Int
        /// What bob gets.
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
        case nobody, wrongPassword, wrongCase, twins, otherScheme, garbage, expired, other, own

        var authorization: String? {
            switch self {
            case .nobody: nil
            case .wrongPassword: BackendScene.basic("alice", "secret of bob")
            case .wrongCase: BackendScene.basic("Alice", "secret of alice")
            // Two headers, as a server joins them.
            case .twins: BackendScene.basic("bob", "secret of bob") + ", " + BackendScene.basic("alice", "x")
            case .otherScheme: "Digest username=\"alice\""
            case .garbage: "Basic \u{7f}é%00"
            case .expired: BackendScene.bearer("alice")
            case .other: BackendScene.basic("bob", "secret of bob")
            case .own: BackendScene.basic("alice", "secret of alice")
            }
        }
    }

    @Test(arguments: calls, Caller.allCases)
    func `each gets what is theirs, and else changes nothing`(call: Call, caller: Caller) async throws {
        let store = MemoryPayloadStore()
        let scene = try BackendScene(mode: .securePush(store: store), store: store)
        await scene.putPhone("phone", as: "alice")
        await scene.register("1-1-1", handle: "AB02", as: "alice")
        let alice = AppBackend.User(name: "alice")
        let id = try await store.insert(.init(text: "secret", user: alice, expiry: .distantFuture))
        let before = (scene.emulator.installations, scene.reached, try await scene.registrations())
        // The token's hour is over.
        scene.wait(3600)

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
            #expect(scene.reached == before.1)
            #expect(try await scene.registrations() == before.2)
            #expect(await store.payload(id, of: alice) != nil)
        }
    }

    @Test(arguments: calls)
    func `who cannot be authenticated now is told to come again`(call: Call) async throws {
        let scene = try BackendScene(.securePush)
        let response = await scene.call(call.method, call.target, call.body, as: "unreachable")
        #expect(response.status == 503)
        #expect(scene.events.last?.error is BackendScene.AccountsAreDown)
        #expect(!response.text.contains("AccountsAreDown"))
    }

    /// What goes before the ways out of a segment; a guess, a number, a wildcard, an id that is an expression.
    static let guesses = [
        "1", "2147483647", "0", "AAAAAAAAAAAAAAAAAAAAAA", "*", "%2a", "phone%00", "PHONE", "phone.", "phone%20",
        "%70hone2",
        "../installations/phone", "..%2Fphone", "%2e%2e%2fphone", "x/../phone", "x%2F..%2Fphone", "phone%2f", "phone/",
        ".%2e",
        "phone;x", "phone%3Fa", "phone%23", "%ef%bc%8e%ef%bc%8e", "%c0%ae%c0%ae", "phone%5c..",
        "$InstallationId:%7Bphone%7D",
    ]

    @Test(arguments: guesses)
    func `an id that is guessed, or leads elsewhere, is found by nobody`(id: String) async throws {
        let scene = try BackendScene(.securePush)
        await scene.putPhone("phone", as: "alice")
        let before = scene.emulator.installations
        for user in ["alice", "bob"] {
            for (method, path) in [("DELETE", "installations"), ("DELETE", "register"), ("GET", "notifications")] {
                let response = await scene.call(method, "/api/\(path)/\(id)", as: user)
                // The emulator takes ids for the same in any case.
                #expect(response.status == 404 || id == "PHONE" && path == "installations")
            }
        }
        #expect(scene.emulator.installations == before || id == "PHONE")
    }

    /// Bodies that are wrong in themselves, for every route that takes one.
    static let bodies: [(name: String, type: String?, body: [UInt8], status: Int)] = [
        (
            "too large", "application/json",
            Array("\"".utf8) + Array(repeating: UInt8(ascii: "x"), count: 65_536) + Array("\"".utf8), 413
        ),
        ("no type", nil, Array("{}".utf8), 415),
        ("a form", "application/x-www-form-urlencoded", Array("platform=apns".utf8), 415),
        ("a text", "text/plain", Array("\"Hi\"".utf8), 415),
        ("another charset", "application/json; charset=utf-16", Array("{}".utf8), 415),
        ("another charset, hidden", "application/json;CHARSET=\"latin1\"", Array("{}".utf8), 415),
        ("no UTF-8", "application/json", Array("{\"platform\":\"".utf8) + [0xff, 0xfe] + Array("\"}".utf8), 400),
        ("a half surrogate", "application/json", Array(#"{"platform":"\ud800"}"#.utf8), 400),
        ("a byte order mark", "application/json", [0xef, 0xbb, 0xbf] + Array("{}".utf8), 400),
        ("deep", "application/json", Array(repeating: UInt8(ascii: "["), count: 60_000), 400),
        (
            "deep and whole", "application/json",
            Array((String(repeating: "{\"a\":", count: 65) + "1" + String(repeating: "}", count: 65)).utf8), 400
        ),
        ("cut off", "application/json", Array(#"{"platform":"apns","pushChannel":"AB01""#.utf8), 400),
        ("a name twice", "application/json", Array(#"{"platform":"apns","platform":"wns"}"#.utf8), 400),
        ("two values", "application/json", Array("{}{}".utf8), 400),
        ("spaces", "application/json", Array("  ".utf8), 400),
    ]

    @Test(arguments: calls.filter { $0.body != nil })
    func `a body that the server has not read to its end is too large`(call: Call) async throws {
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
    func `a wrong body is refused, and nothing is stored or sent`(index: Int, call: Call) async throws {
        let wrong = Self.bodies[index]
        let store = MemoryPayloadStore(ids: .text, limits: .init(countPerUser: 1))
        let scene = try BackendScene(mode: .securePush(store: store), store: store)
        var headers: HubHeaders = ["Authorization": BackendScene.basic("alice", "secret of alice")]
        headers["Content-Type"] = wrong.type
        let parts = call.target.split(separator: "?", maxSplits: 1).map(String.init)
        let response = await scene.backend.respond(
            to: .init(method: call.method, target: parts[0], headers: headers, body: wrong.body))
        #expect(response.status == wrong.status, "\(wrong.name)")
        #expect(response.error != nil)
        #expect(scene.emulator.installations.isEmpty && scene.reached.isEmpty)
        #expect(try await scene.registrations().isEmpty)
        // There is room for the one payload that there may be.
        #expect(await scene.call("POST", "/api/notifications", "\"Hi\"", as: "alice").status == 200)
    }

    @Test(arguments: [
        "application/json", "Application/JSON", "application/json; charset=utf-8", "text/json;charset=\"UTF-8\"",
        "application/json; x=y",
    ])
    func `JSON may be called so`(type: String) async throws {
        let scene = try BackendScene()
        let response = await scene.call(
            "POST", "/api/notifications", "\"Hi\"", as: "alice", headers: ["Content-Type": type])
        #expect(response.status == 200)
    }
}
