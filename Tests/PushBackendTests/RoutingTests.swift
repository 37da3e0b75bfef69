import HubTestSupport
import NotificationHubs
@testable import PushBackend
import Testing

/// Routes, methods and the observer.
@Suite struct RoutingTests {
    @Test(arguments: [
        ("/api/register", true), ("/api/register/1", true), ("/api/notifications", true),
        ("/api/installations/a", true),
        ("/api/installations", false), ("/api/users", false), ("/api/", false), ("/", false), ("", false),
        ("/api/register/..", false), ("/API/register", false),
    ])
    func `returns whether a path is a route`(path: String, expected: Bool) {
        #expect(AppBackend.hasRoute(forPath: path) == expected)
    }

    /// Returns combining marks that are not in canonical order. Comparing strings with many of them takes quadratic time.
    private static func marks(_ count: Int) -> String {
        String(repeating: "%CC%81", count: count) + String(repeating: "%CC%B4", count: count)
    }

    @Test(arguments: ["/", "/api/", "/api/register"])
    func `takes linear time for a hostile path`(start: String) {
        let isLinear = takesLinearTime(of: { "\(start)\(Self.marks($0))/a" }) { path in
            #expect(!AppBackend.hasRoute(forPath: path))
        }
        #expect(isLinear)
    }

    @Test func `takes linear time for a hostile query`() throws {
        let isLinear = try takesLinearTime(of: { size in
            AppBackend.Request(method: "GET", target: "/?a\(Self.marks(size))=1&b\(Self.marks(size))=2")
        }) { request in
            _ = try request.queryString()
        }
        #expect(isLinear)
    }

    @Test func `takes linear time for many headers, and keeps all`() {
        let isLinear = takesLinearTime(
            from: 500,
            of: { size in
                (0..<size).map { (name: "H\($0)", value: "1") } + (0..<size).map { (name: "h\($0)", value: "2") }
            }
        ) { fields in
            let request = AppBackend.Request(method: "GET", target: "/", headers: fields)
            #expect(Array(request.headers).count == fields.count / 2)
            #expect(request.headers["h7"] == "1, 2")
        }
        #expect(isLinear)
    }

    static let allowed = [
        "/api/register": "POST, OPTIONS", "/api/register/1-2-3": "PUT, DELETE, OPTIONS",
        "/api/notifications": "POST, OPTIONS", "/api/notifications/7": "GET, HEAD, OPTIONS",
        "/api/installations/phone": "PUT, DELETE, OPTIONS",
    ]

    @Test(arguments: allowed.keys, ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "get", ""])
    func `rejects an unsupported method before authentication`(
        path: String, method: String
    ) async throws {
        let response = try await BackendScene().call(method, path, as: nil)
        let methods = try #require(Self.allowed[path])
        if methods.split(separator: ", ").contains(Substring(method)) {
            #expect(response.status == 401)
        } else {
            #expect(response.status == 405)
            #expect(response.headers["Allow"] == methods)
        }
    }

    private struct InvalidChallenge: AppBackend.Authenticator {
        func authenticate(_ authorization: String?) -> AppBackend.Authentication {
            .refused(challenge: "Bearer error_description=\"line 1\nline 2\"")
        }
    }

    @Test func `omits a challenge that is not a header value`() async throws {
        let hub = try BackendScene().hub
        let backend = AppBackend(hub: hub, authenticator: InvalidChallenge(), mode: .notifyUsers())
        let response = await backend.respond(to: .init(method: "POST", target: "/api/register"))
        #expect(response.status == 401)
        #expect(response.headers["WWW-Authenticate"] == nil)
    }

    @Test(arguments: allowed.keys)
    func `returns the allowed methods for OPTIONS`(path: String) async throws {
        let response = try await BackendScene().call("OPTIONS", path, as: nil)
        #expect(response.status == 204)
        #expect(response.headers["Allow"] == Self.allowed[path])
        #expect(response.body.isEmpty)
    }

    @Test(arguments: [
        "", "/", "*", "/api", "/api/", "api/register", "//api/register", "/api//register", "/api/register/",
        "/API/register",
        "/api/registration", "/api/register/a/b", "/api/installations", "/v1/api/register", "/api/register/..",
        "/api/register/.", "/api/register/%2e%2e", "/api/register/%2E.", "/api/register/a%2Fb", "/api/register/a%5cb",
        "/api/register/%00", "/api/register/%7f", "/api/register/%0a", "/api/register/%", "/api/register/%2",
        "/api/register/%zz",
        "/api/register/%ff", "/api/register/../register", "/api/%2e%2e/api/register", "/api/notifications/..%2f",
        "/api/installations/%2e", "/api\\register", "/api/register?", "/api/registe\u{72}\u{301}",
    ])
    func `returns 404 for any other path`(path: String) async throws {
        let scene = try BackendScene()
        for user in [nil, "alice"] {
            var request = AppBackend.Request(method: "PUT", target: "/")
            request.path = path
            request.headers["Authorization"] = user.map { BackendScene.basic($0, "secret of \($0)") }
            let response = await scene.backend.respond(to: request)
            #expect(response.status == 404)
            #expect(response.error != nil)
        }
    }

    @Test(arguments: [
        ("/%61pi/register", nil), ("/api/register/%32", "2"), ("/api/register/%2532", "%32"), ("/api/register/+", "+"),
    ])
    func `decodes path segments once`(path: String, id: String?) throws {
        switch Route(path: path) {
        case .registration(let decoded)?: #expect(decoded == id)
        case .registrationIDs?: #expect(id == nil)
        default: Issue.record("unexpected route")
        }
    }

    @Test func `disables caching and sniffing of responses`() async throws {
        let scene = try BackendScene()
        for target in ["/api/register", "/nowhere"] {
            let response = await scene.call("POST", target, as: nil)
            #expect(response.headers["Cache-Control"] == "no-store")
            #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        }
    }

    @Test func `creates a request from any sequences and a target`() {
        let request = AppBackend.Request(
            method: "PUT", target: "/a%20b?c=d?e", headers: [(name: "A", value: "1"), (name: "a", value: "2")],
            body: "text".utf8)
        #expect((request.path, request.query) == ("/a%20b", "c=d?e"))
        #expect(request.headers["A"] == "1, 2")
        #expect(request.body == Array("text".utf8) && !request.isBodyTruncated)
        let bare = AppBackend.Request(method: "GET", target: "/")
        #expect((bare.query, bare.body, bare.headers) == ("", [], [:]))
    }

    @Test func `reports the duration of a request`() async throws {
        let scene = try BackendScene()
        let start = ContinuousClock.now
        await scene.call("POST", "/api/notifications", "\"Hi\"", as: "alice")
        let duration = try #require(scene.events.last?.duration)
        #expect(duration > .zero && duration <= .now - start)
    }

    @Test func `reports routes without names and IDs`() async throws {
        let scene = try BackendScene()
        await scene.call("DELETE", "/api/installations/phone", as: "alice")
        await scene.call("BREW", "/coffee", as: nil)
        await scene.call("OPTIONS", "/api/notifications/7", as: nil)
        for (method, path) in [
            ("GET", "/api/notifications/7"), ("HEAD", "/api/notifications/7"), ("POST", "/api/notifications"),
            ("POST", "/api/register"), ("PUT", "/api/register/1"),
        ] {
            await scene.call(method, path, as: nil)
        }
        #expect(
            scene.events.map { "\($0.route) \($0.status)" } == [
                "DELETE /api/installations/{id} 404", "other elsewhere 404", "OPTIONS /api/notifications/{id} 204",
                "GET /api/notifications/{id} 401", "HEAD /api/notifications/{id} 401", "POST /api/notifications 401",
                "POST /api/register 401", "PUT /api/register/{id} 401",
            ])
    }
}
