import HubText
import HubServer
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

@Suite struct ControlAccessTests {
    @Test(arguments: [
        ("127.0.0.1:8350", 200), ("localhost:8350", 200), ("[::1]:8350", 200), ("LOCALHOST:8350", 200),
        ("evil.example:8350", 421), ("127.0.0.1.evil.example:8350", 421), ("localhost", 421), ("localhost:80", 421),
        ("", 421), (nil, 421),
    ])
    func `accepts only loopback names as the host on loopback`(host: String?, status: Int) throws {
        let scene = try ControlScene()
        for target in [
            "", "health", "hubs", "requests", "deliveries", "installations", "registrations", "warnings", "faults",
            "updates?revision=x",
        ] {
            #expect(try scene.response("GET", target, host: host).status == status, "\(target)")
        }
        let json: HTTPFields = ["Content-Type": "application/json"]
        #expect(try scene.response("POST", "reset", host: host, json, body: "{}").status == status)
    }

    @Test func `accepts a host without a port on port 80`() throws {
        let scene = try ControlScene(access: .loopback(port: 80))
        #expect(try scene.response("GET", "health", host: "localhost").status == 200)
    }

    static let changes = [
        ("POST", "reset", "{}"), ("PUT", "faults", #"{"faults":[]}"#),
        ("POST", "send", #"{"format":"template","body":"{}","everyone":true}"#),
        ("POST", "containers", #"{"name":"jobs"}"#), ("POST", "expire", #"{"platform":"apns","handle":"AB01"}"#),
    ]

    @Test(arguments: changes)
    func `rejects state changes from other origins`(method: String, target: String, body: String) throws {
        let scene = try ControlScene()
        func status(_ headers: HTTPFields) throws -> Int {
            try scene.response(method, target, headers, body: body).status
        }
        let sameOrigin = "http://127.0.0.1:8350"
        #expect(try status(["Content-Type": "application/json"]) == 200)
        #expect(try status(["Content-Type": "Application/JSON; charset=utf-8", "Origin": sameOrigin]) == 200)
        for origin in [
            "https://evil.example", "null", "http://127.0.0.1:8351", "http://localhost:8350", sameOrigin + "/",
        ] {
            #expect(try status(["Content-Type": "application/json", "Origin": origin]) == 403, "\(origin)")
        }
        for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "a/b, application/json"] {
            #expect(try status(["Content-Type": type]) == 415, "\(type)")
        }
        #expect(try status([:]) == 415)
    }

    @Test func `requires the token beyond loopback and accepts any host name`() throws {
        let scene = try ControlScene(access: .token("sesame"))
        func status(_ target: String, _ authorization: String?) throws -> Int {
            var headers: HTTPFields = [:]
            headers["Authorization"] = authorization
            return try scene.response("GET", target, host: "emulator:8350", headers).status
        }
        for target in [
            "hubs", "deliveries", "deliveries/1.apns", "installations", "registrations", "warnings", "faults",
            "updates",
            "x",
        ] {
            for wrong in [nil, "sesame", "Bearer", "Bearer ", "Bearer sesam", "Bearer sesamee", "Basic sesame"] {
                #expect(try status(target, wrong) == 401, "\(target) \(wrong ?? "")")
            }
        }
        #expect(try status("hubs", "Bearer sesame") == 200)
        #expect(try status("hubs", "bearer sesame") == 200)
        #expect(try status("", nil) == 200)
        #expect(try status("health", nil) == 200)
        for (method, target, body) in Self.changes {
            #expect(try scene.mutate(method, target, body).status == 401)
        }
    }

    @Test(arguments: [
        ("GET", "unknown", 404), ("POST", "deliveries", 405), ("DELETE", "hubs", 405), ("GET", "reset", 405),
        ("GET", "send", 405), ("GET", "containers", 405), ("GET", "expire", 405), ("PUT", "registrations", 405),
        ("POST", "", 405), ("HEAD", "health", 200),
    ])
    func `rejects unknown paths and methods`(method: String, target: String, status: Int) throws {
        let headers: HTTPFields = ["Content-Type": "application/json"]
        #expect(try ControlScene().response(method, target, headers).status == status)
    }

    @Test(arguments: ["/push/installations/x", "/$emulators", "/", "/emulator/", "/push/$emulator/"])
    func `does not handle the paths of hubs`(target: String) throws {
        let request = HTTPRequest(
            method: "GET", target: target, headers: ["Host": "127.0.0.1:8350"], body: [], keepsAlive: true)
        if case .control = try ControlScene().dispatcher.destination(of: request) {
            Issue.record("the control API handled the request")
        }
    }

    @Test func `rejects a body that has unknown members or is not a JSON object`() throws {
        let scene = try ControlScene()
        for body in ["[]", "{", "\u{1}", #"{"hubs":"push"}"#, #"{"hub":1}"#] {
            #expect(try scene.mutate("POST", "reset", body).status == 400, "\(body)")
        }
    }

    @Test func `requires a hub name if there are several hubs`() throws {
        let hubs = [HubEmulator(hubName: "a"), HubEmulator(hubName: "b")]
        let api = ControlAPI(namespace: Namespace(hubs), access: .loopback(port: 80), requestLog: RequestLog())
        func status(_ path: String, query: String = "") -> Int? {
            let request = HTTPRequest(
                method: "GET", target: "/$emulator/\(path)?\(query)", headers: ["Host": "localhost"], body: [],
                keepsAlive: true)
            guard case .respond(let response) = api.handle(request, at: path) else { return nil }
            return response.status
        }
        #expect(status("deliveries") == 400)
        #expect(status("deliveries", query: "hub=B") == 200)
        #expect(status("hubs") == 200)
    }
}
