import HubText
import HubServer
import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsTesting
import SharedAccessSignature
import Testing

@testable import NotificationHubsHTTP

@Suite(.timeLimit(.minutes(30))) struct HubHTTPTransportTests {
    // MARK: Requests and responses

    @Test(arguments: Scene.Security.allCases)
    func `sends the whole request and returns the whole response`(
        security: Scene.Security
    ) async throws {
        let scene = try Scene(security) { _ in
            [.send("HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nabc")]
        }
        defer { scene.stop() }
        #if FOUNDATION_NETWORKING
        // FoundationNetworking resolves percent-encoded letters and dots in the path.
        let path = "/hub/a%2Fb?a=b%20c"
        #else
        let path = "/hub/%41/../b?a=b%20c"
        #endif
        let response = try await scene.send(.message, path: path, headers: ["X-Test": "1", "X-Empty": ""])

        #expect(response.status == 201)
        #expect(response.headers["location"] == "/x")
        #expect(response.body == Array("abc".utf8))
        let request = try #require(scene.server.requests.first)
        #expect((request.method, request.target) == ("POST", path))
        #expect(request.headers["X-Test"] == "1")
        #expect(request.headers["X-Empty"] == "")
        #expect(request.headers["Content-Length"] == "4")
        #if canImport(Darwin)
        // URLSession would add the type of a form.
        #expect(request.headers["Content-Type"] == "application/octet-stream")
        #else
        #expect(request.headers["Content-Type"] == nil)
        #endif
        #expect(request.headers["Expect"] == nil)
        #expect(request.body == Array("body".utf8))
    }

    #if FOUNDATION_NETWORKING
    // FoundationNetworking sends a length with each method except GET.
    static let emptyLengths: [(HubRequest.Method, String?)] = [(.get, nil), (.post, "0"), (.put, "0"), (.patch, "0")]
    #else
    static let emptyLengths: [(HubRequest.Method, String?)] =
        [(.get, nil), (.delete, nil), (.post, "0"), (.put, "0"), (.patch, "0")]
    #endif

    @Test(arguments: emptyLengths)
    func `sends Content-Length 0 with methods that expect a body`(
        method: HubRequest.Method, length: String?
    ) async throws {
        let scene = try Scene()
        defer { scene.stop() }
        _ = try await scene.transport.send(
            HubRequest(method, endpoint: scene.endpoint, path: "/"), timeout: .seconds(1000))
        let request = try #require(scene.server.requests.first)
        #expect(request.method == method.rawValue)
        #expect(request.headers["Content-Length"] == length)
    }

    @Test(arguments: Scene.Security.allCases)
    func `sends a large body completely`(security: Scene.Security) async throws {
        let scene = try Scene(security)
        defer { scene.stop() }
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        _ = try await scene.send(.message, body: body)
        #expect(scene.server.requests.first?.body == body)
    }

    @Test func `keeps no state between requests on a connection`() async throws {
        let scene = try Scene(maximumConnections: 1) { _ in
            [.send("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nCache-Control: max-age=1000\r\nContent-Length: 1\r\n\r\nx")]
        }
        defer { scene.stop() }
        for kind in Scene.Kind.allCases + Scene.Kind.allCases.reversed() {
            _ = try await scene.send(kind, headers: ["X-\(kind)": "1"])
        }
        let requests = scene.server.requests
        #expect(
            requests.map(\.method) == ["POST", "POST", "PUT", "GET", "DELETE", "DELETE", "GET", "PUT", "POST", "POST"])
        #expect(requests.map(\.body.count) == [4, 0, 4, 0, 0, 0, 0, 4, 0, 4])
        #expect(requests.allSatisfy { $0.headers["Cookie"] == nil })
        #expect(requests.allSatisfy { request in request.headers.count { $0.name.hasPrefix("X-") } == 1 })
    }

    @Test func `returns a redirect as a response`() async throws {
        let other = try Scene()
        defer { other.stop() }
        let location = "\(other.endpoint)/"
        let scene = try Scene { _ in
            [.send("HTTP/1.1 307 Temporary Redirect\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")]
        }
        defer { scene.stop() }
        let response = try await scene.send(.get, headers: ["Authorization": "secret"])
        #expect(response.status == 307)
        #expect(other.server.connections == 0)
    }

    @Test(
        arguments: [401, 407], ["Basic realm=\"x\"", "Bearer", "Digest realm=\"x\", nonce=\"y\"", "NTLM", "Negotiate"])
    func `returns an authentication challenge as a response`(status: Int, challenge: String) async throws {
        let header = status == 401 ? "WWW-Authenticate" : "Proxy-Authenticate"
        let scene = try Scene { _ in
            [
                .send(
                    "HTTP/1.1 \(status) x\r\n\(header): \(challenge)\r\nTrackingId: t\r\nContent-Length: 6\r\n\r\nreason"
                )
            ]
        }
        defer { scene.stop() }
        let response = try await scene.send(.get)
        #expect(response.status == status)
        #expect(response.headers["TrackingId"] == "t")
        #expect(response.body == Array("reason".utf8))
        #expect(scene.server.requests.count == 1)
    }

    @Test(arguments: ["Content-Length: 100\r\n", ""])
    func `reads a body of the maximum length`(length: String) async throws {
        let scene = try Scene(maximumResponseByteCount: 100) { _ in
            [.send("HTTP/1.1 200 OK\r\n\(length)\r\n" + String(repeating: "x", count: 100)), .close]
        }
        defer { scene.stop() }
        #expect(try await scene.send(.get).body.count == 100)
    }

    @Test func `rejects a body beyond the maximum length`() async throws {
        let scene = try Scene(maximumResponseByteCount: 100) { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n" + String(repeating: "x", count: 101))]
        }
        defer { scene.stop() }
        let error = await scene.failure(.get)
        #expect(error?.description == "the response body has more than 100 bytes")
        #expect(error?.delivery == .unknown)
    }

    // MARK: Connections

    @Test(arguments: Scene.Security.allCases, Scene.Kind.allCases)
    func `reuses one connection for sequential requests`(security: Scene.Security, kind: Scene.Kind) async throws {
        let scene = try Scene(security)
        defer { scene.stop() }
        let start = ContinuousClock.now
        for _ in 0..<5 { _ = try await scene.send(kind) }
        #expect(scene.server.requests.count == 5)
        #expect(scene.server.connections == 1 || Scene.mayHaveBeenIdle(since: start))
    }

    @Test(arguments: [1, 3])
    func `opens connections up to the maximum number`(limit: Int) async throws {
        let barrier = RequestBarrier(requestCount: limit)
        let scene = try Scene(maximumConnections: limit) { _ in
            barrier.waitForOthers()
            return [.wait(.milliseconds(20)), .send(Scene.ok)]
        }
        defer {
            barrier.open()
            scene.stop()
        }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 { group.addTask { _ = try await scene.send(.get) } }
            try await group.waitForAll()
        }
        #expect(scene.server.requests.count == 12)
        #expect(scene.server.connections == limit || Scene.mayHaveBeenIdle(since: start))
    }

    @Test func `closes its connections when the last copy is released`() async throws {
        let server = try RawServer { _ in Scene.ok }
        defer { server.stop() }
        let endpoint = try ServiceEndpoint("http://127.0.0.1:\(server.port)")
        do {
            let transport = try HubHTTPTransport()
            let start = ContinuousClock.now
            _ = try await transport.send(HubRequest(.get, endpoint: endpoint, path: "/"), timeout: .seconds(1000))
            // A busy machine can reach the time after which the transport closes idle connections.
            #expect(server.openConnections == 1 || ContinuousClock.now - start >= .seconds(50))
        }
        while server.openConnections > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `completes a request in flight after the last copy is released`() async throws {
        let mayRespond = Locked(false)
        let server = try RawServer { _ in
            while !mayRespond.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
            return Scene.ok
        }
        defer {
            mayRespond.withLock { $0 = true }
            server.stop()
        }
        let endpoint = try ServiceEndpoint("http://127.0.0.1:\(server.port)")
        let call = Task { [transport = try HubHTTPTransport()] in
            try await transport.send(HubRequest(.get, endpoint: endpoint, path: "/"), timeout: .seconds(1000))
        }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        mayRespond.withLock { $0 = true }
        #expect(try await call.value.status == 200)
    }

    // The client is a structure on Darwin.
    #if !canImport(Darwin)
    @Test func `shares one transport as .http`() throws {
        let transports: [HubHTTPTransport] = [try .http, try .http]
        #expect(transports[0].client === transports[1].client)
        #expect(try HubHTTPTransport().client !== transports[0].client)
    }
    #endif

    // MARK: Timeouts and cancellation

    @Test(arguments: Scene.Security.allCases)
    func `fails at the timeout`(security: Scene.Security) async throws {
        let scene = try Scene(security) { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"), .waitForClient]
        }
        defer { scene.stop() }
        // On a busy machine, a short timeout can expire before the server has read the message.
        for timeout in [Duration.seconds(1), .seconds(10), .seconds(100)] {
            let error = await scene.failure(.message, timeout: timeout)
            #expect(error?.isTimeout == true)
            if scene.server.requests.isEmpty { continue }
            #expect(error?.description == "no complete response from \(scene.endpoint) within \(timeout.secondsText)")
            #expect(error?.delivery == .unknown)
            return
        }
        Issue.record("the server did not read the message within 100 seconds")
    }

    #if canImport(Darwin)
    // The response can arrive before URLSession has cancelled a request that has expired.
    static let expiredTimeouts = [Duration.zero, .seconds(-1)]
    #else
    static let expiredTimeouts = [Duration.zero, .seconds(-1), .nanoseconds(1)]
    #endif

    @Test(arguments: expiredTimeouts)
    func `fails with a timeout that is not positive or too short`(timeout: Duration) async throws {
        let scene = try Scene()
        defer { scene.stop() }
        let error = await scene.failure(.message, timeout: timeout)
        #expect(error?.isTimeout == true)
        #expect(scene.server.requests.isEmpty || error?.delivery == .unknown)
    }

    @Test func `accepts a very long timeout`() async throws {
        let scene = try Scene()
        defer { scene.stop() }
        #expect(try await scene.send(.get, timeout: .seconds(Int64.max / 2)).status == 200)
    }

    @Test func `throws CancellationError and closes the connection when its task is cancelled`() async throws {
        let scene = try Scene { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"), .waitForClient] }
        defer { scene.stop() }
        let task = Task { try await scene.send(.get) }
        while scene.server.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        while scene.server.openConnections > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `throws CancellationError when it is cancelled at any early point`() async throws {
        let scene = try Scene()
        defer { scene.stop() }
        var cancelledCount = 0
        for delay in 0..<100 {
            let task = Task { try await scene.send(.message) }
            for _ in 0..<delay { await Task.yield() }
            task.cancel()
            do {
                _ = try await task.value
            } catch {
                #expect(error is CancellationError)
                cancelledCount += 1
            }
        }
        #expect(cancelledCount > 0)
    }

    @Test func `does not send a request of a cancelled task`() async throws {
        let scene = try Scene()
        defer { scene.stop() }
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await scene.send(.message)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        // A later request shows that nothing is under way.
        _ = try await scene.send(.get, path: "/later")
        #expect(scene.server.requests.map(\.target) == ["/later"])
    }

    @Test(arguments: Scene.Security.allCases, [true, false])
    func `ends within 100 milliseconds of a timeout or a cancellation`(
        security: Scene.Security, isCancellation: Bool
    ) async throws {
        let scene = try Scene(security) { _ in [.waitForClient] }
        defer { scene.stop() }
        // A busy machine can delay some of the calls, but not all.
        var shortest = Duration.seconds(1000)
        for _ in 0..<100 where shortest >= .milliseconds(100) {
            let count = scene.server.requests.count
            let start = ContinuousClock.now
            if isCancellation {
                let task = Task { try await scene.send(.message) }
                while scene.server.requests.count == count { try await Task.sleep(for: .milliseconds(1)) }
                let cancelled = ContinuousClock.now
                task.cancel()
                _ = await task.result
                shortest = min(shortest, .now - cancelled)
            } else {
                _ = await scene.failure(.message, timeout: .milliseconds(200))
                shortest = min(shortest, .now - start - .milliseconds(200))
            }
        }
        #expect(shortest < .milliseconds(100))
    }

    // MARK: Secrets

    @Test func `redacts requests in flight`() async throws {
        let scene = try Scene { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab"), .waitForClient] }
        defer { scene.stop() }
        let hub = try NotificationHub(
            connectionString:
                "Endpoint=sb://127.0.0.1:\(scene.server.port);SharedAccessKeyName=rule;SharedAccessKey=sesame"
                + ";UseDevelopmentEmulator=true",
            hubName: "push", transport: scene.transport)
        let call = Task { try await hub.installation(Installation.ID.random()) }
        while scene.server.requests.isEmpty { await Task.yield() }
        for value in [hub, scene.transport] as [Any] {
            let showsSecret = everythingPrinted(of: value).containsAny(of: ["sig=", "sesame"])
            #expect(!showsSecret, "\(type(of: value)) shows a secret")
        }
        call.cancel()
        _ = await call.result
    }
}
