import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsURLSession
import SharedAccessSignature
import Testing

@Suite(.timeLimit(.minutes(5))) struct URLSessionTransportTests {
    let transport = URLSessionTransport(maximumResponseByteCount: 100)

    @Test func `sends method, path, query, headers and body, and returns the whole response`() async throws {
        let server = try RawServer { _ in "HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 3\r\n\r\nabc" }
        defer { server.stop() }
        let response = try await send(
            .post, to: server, path: "/hub/messages?a=b", headers: ["X-Test": "1"], body: Array("body".utf8))

        #expect(response.status == 201)
        #expect(response.headers["location"] == "/x")
        #expect(response.body == Array("abc".utf8))
        let request = try #require(server.requests.first)
        #expect((request.method, request.target) == ("POST", "/hub/messages?a=b"))
        #expect(request.headers["X-Test"] == "1")
        #expect(request.body == Array("body".utf8))
    }

    @Test func `uses one connection for requests without a body`() async throws {
        let server = try RawServer { _ in "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n" }
        defer { server.stop() }
        for _ in 0..<5 { #expect(try await send(.get, to: server).status == 204) }
        #expect(server.requests.count == 5)
        #expect(server.connections == 1)
    }

    @Test func `closes a message's connection once it is answered`() async throws {
        let server = try RawServer { _ in "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n" }
        defer { server.stop() }
        for _ in 0..<5 { _ = try await send(.post, to: server, body: [1]) }
        #expect(server.connections == 5)
        for _ in 0..<10_000 where server.openConnections > 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(server.openConnections == 0)
    }

    @Test(arguments: [[], [1]] as [[UInt8]])
    func `keeps nothing of one response for the next request`(body: [UInt8]) async throws {
        let server = try RawServer { _ in
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nCache-Control: max-age=1000\r\nContent-Length: 1\r\n\r\nx"
        }
        defer { server.stop() }
        for _ in 0..<2 { _ = try await send(body.isEmpty ? .get : .put, to: server, body: body) }
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.headers["Cookie"] == nil })
    }

    @Test(arguments: [1, 3])
    func `opens no more connections at once than it may`(limit: Int) async throws {
        let server = try RawServer(steps: { _ in
            [.wait(.milliseconds(50)), .send("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n")]
        })
        defer { server.stop() }
        let transport = URLSessionTransport(maximumConnectionsPerHost: limit)
        let request = HubRequest(
            .get, endpoint: try ServiceEndpoint("http://127.0.0.1:\(server.port)", isDevelopmentEmulator: true),
            path: "/")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<9 { group.addTask { _ = try await transport.send(request, timeout: .seconds(1000)) } }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 9)
        #expect(server.connections == limit)
    }

    @Test(arguments: [(HubRequest.Method.post, "body"), (.post, ""), (.put, "body")])
    func `sends a message or a body once, and fails at once, if a connection breaks after it was read`(
        method: HubRequest.Method, body: String
    ) async throws {
        let answered = Locked(false)
        let server = try RawServer { _ in
            answered.withLock { answered in
                defer { answered = true }
                return answered ? nil : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            }
        }
        defer { server.stop() }
        _ = try await send(method, to: server, body: Array(body.utf8))
        let error = await #expect(throws: HubTransportError.self) {
            try await send(method, to: server, body: Array(body.utf8))
        }
        #expect(error?.delivery == .unknown)
        #expect(error?.isTimeout == false, "it does not wait for a time-out")
        #expect(server.requests.count == 2, "each was sent once")
    }

    @Test func `follows no redirect`() async throws {
        let other = try RawServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        defer { other.stop() }
        let location = "http://127.0.0.1:\(other.port)/"
        let server = try RawServer { _ in "HTTP/1.1 307 x\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n" }
        defer { server.stop() }
        let response = try await send(.get, to: server, headers: ["Authorization": "secret"])
        #expect(response.status == 307)
        #expect(other.requests.isEmpty)
    }

    @Test(arguments: ["Basic realm=\"x\"", "Bearer", "Digest realm=\"x\", nonce=\"y\""])
    func `returns a response that asks for other credentials`(challenge: String) async throws {
        let server = try RawServer { _ in
            "HTTP/1.1 401 x\r\nWWW-Authenticate: \(challenge)\r\nTrackingId: t\r\nContent-Length: 0\r\n\r\n"
        }
        defer { server.stop() }
        let response = try await send(.get, to: server)
        #expect(response.status == 401)
        #expect(response.headers["TrackingId"] == "t")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["Content-Length: 100\r\n", ""])
    func `reads as much of a body as it is told`(length: String) async throws {
        let server = try RawServer(steps: { _ in
            [.send("HTTP/1.1 200 OK\r\n\(length)\r\n" + String(repeating: "x", count: 100)), .close]
        })
        defer { server.stop() }
        #expect(try await send(.get, to: server).body.count == 100)
    }

    @Test func `reads no more of a body than it is told`() async throws {
        let server = try RawServer { _ in
            "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n" + String(repeating: "x", count: 101)
        }
        defer { server.stop() }
        let error = await #expect(throws: HubTransportError.self) { try await send(.get, to: server) }
        #expect(error?.description.contains("more than 100 bytes") == true)
    }

    @Test func `gives up when the time is over`() async throws {
        let server = try RawServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab" }
        defer { server.stop() }
        let error = await #expect(throws: HubTransportError.self) {
            try await send(.post, to: server, body: [1], timeout: .milliseconds(200))
        }
        #expect(error?.isTimeout == true)
        #expect(error?.delivery == .unknown)
    }

    @Test func `ends with a cancellation when its task is cancelled`() async throws {
        let server = try RawServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab" }
        defer { server.stop() }
        let request = try request(.get, to: server)
        let task = Task { try await transport.send(request, timeout: .seconds(1000)) }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `knows that nothing was sent where nobody listens`() async throws {
        // Nobody listens on port 1.
        let request = try request(.post, host: "127.0.0.1:1", body: [1])
        let error = await #expect(throws: HubTransportError.self) {
            try await transport.send(request, timeout: .seconds(1000))
        }
        #expect(error?.delivery == .unsent)
    }

    @Test func `knows that nothing was sent to a name that nobody has`() async throws {
        // RFC 2606 §2 reserves it for names that are none.
        let request = try request(.post, host: "hub.invalid", body: [1])
        let error = await #expect(throws: HubTransportError.self) {
            try await transport.send(request, timeout: .seconds(1000))
        }
        #expect(error?.delivery == .unsent)
    }

    @Test func `claims no such thing of a host that may have several addresses`() async throws {
        let request = try request(.post, host: "localhost:1", body: [1])
        let error = await #expect(throws: HubTransportError.self) {
            try await transport.send(request, timeout: .seconds(1000))
        }
        #expect(error?.delivery == .unknown)
    }

    @Test func `ends with a cancellation however early it comes`() async throws {
        let server = try RawServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        defer { server.stop() }
        let request = try request(.post, to: server, body: [1])
        for delay in 0..<100 {
            let task = Task { try await transport.send(request, timeout: .seconds(1000)) }
            for _ in 0..<delay { await Task.yield() }
            task.cancel()
            do {
                _ = try await task.value
            } catch {
                #expect(error is CancellationError)
            }
        }
    }

    @Test(arguments: ["\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}", "HTTP/1.1 400 Bad Request\r\n\r\n"])
    func `knows that nothing was sent where no TLS connection came about`(greeting: String) async throws {
        let server = try RawServer(greeting: [.send(greeting), .waitForClient], steps: { _ in [] })
        defer { server.stop() }
        let request = HubRequest(.post, endpoint: try ServiceEndpoint("https://127.0.0.1:\(server.port)"), path: "/")
        let error = await #expect(throws: HubTransportError.self) {
            try await transport.send(request, timeout: .seconds(1000))
        }
        #expect(error?.delivery == .unsent)
        #expect(error?.description.hasPrefix("no TLS connection to the host") == true)
        #expect(server.connections == 1)
    }

    @Test func `shows nothing of the requests under way`() async throws {
        let server = try RawServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab" }
        defer { server.stop() }
        let hub = try NotificationHub(
            connectionString: "Endpoint=sb://127.0.0.1:\(server.port);SharedAccessKeyName=rule;SharedAccessKey=sesame"
                + ";UseDevelopmentEmulator=true",
            hubName: "push", transport: transport)
        let call = Task { try await hub.installation(Installation.ID()) }
        while server.requests.isEmpty { await Task.yield() }
        for value in [hub, transport] as [Any] {
            let printed = everythingPrinted(of: value)
            #expect(!printed.contains("sig=") && !printed.contains("sesame"))
        }
        call.cancel()
        _ = await call.result
    }

    private func send(
        _ method: HubRequest.Method, to server: RawServer, path: String = "/", headers: HubHeaders = [:],
        body: [UInt8] = [], timeout: Duration = .seconds(1000)
    ) async throws -> HubResponse {
        let request = try request(method, to: server, path: path, headers: headers, body: body)
        return try await transport.send(request, timeout: timeout)
    }

    private func request(
        _ method: HubRequest.Method, to server: RawServer, path: String = "/", headers: HubHeaders = [:],
        body: [UInt8] = []
    ) throws -> HubRequest {
        try request(method, host: "127.0.0.1:\(server.port)", path: path, headers: headers, body: body)
    }

    private func request(
        _ method: HubRequest.Method, host: String, path: String = "/", headers: HubHeaders = [:], body: [UInt8] = []
    ) throws -> HubRequest {
        let parts = path.split(separator: "?")
        return HubRequest(
            method, endpoint: try ServiceEndpoint("http://\(host)", isDevelopmentEmulator: true),
            path: String(parts[0]), query: parts.count > 1 ? String(parts[1]) : "", headers: headers, body: body)
    }
}
