import HubLock
import HubTestSupport
@testable import HubServer
import Testing

/// Clients that stall, when all connections are in use and another client waits.
@Suite(.blocking, .timeLimit(.minutes(30))) struct HTTPContentionTests {
    /// A client that stalls after it has sent a part of a request.
    struct Stall: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        /// A part of the response that the client waits for before it stalls.
        var awaited = ""
        var usesTLS = false
    }

    static let stalls = [
        Stall(testDescription: "before the first request", text: ""),
        Stall(testDescription: "in a request line", text: "GET /"),
        Stall(testDescription: "in the headers", text: "GET / HTTP/1.1\r\nHost: h\r\n"),
        Stall(testDescription: "in a body", text: "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\na"),
        Stall(
            testDescription: "in a body of chunks",
            text: "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na"),
        Stall(
            testDescription: "after 100 Continue",
            text: "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n",
            awaited: "100 Continue"),
        Stall(testDescription: "between two requests", text: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", awaited: "200 OK"),
        Stall(testDescription: "in a response", text: "GET /large HTTP/1.1\r\nHost: h\r\n\r\n", awaited: "200 OK"),
        Stall(
            testDescription: "before it closes the connection",
            text: "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", awaited: "200 OK"),
        Stall(testDescription: "after an invalid request", text: "GET\r\n\r\n", awaited: "400 Bad Request"),
        Stall(testDescription: "before a TLS handshake", text: "", usesTLS: true),
        Stall(testDescription: "in a TLS handshake", text: "\u{16}\u{3}\u{1}", usesTLS: true),
    ]

    @Test(arguments: stalls) func `ends a connection that stalls`(stall: Stall) throws {
        if stall.usesTLS, !LibSSL.isAvailable { return }
        var limits = HTTPLimits()
        limits.connectionCount = 2
        limits.contendedTime = .milliseconds(50)
        let hours = Duration.seconds(36_000)
        (limits.idleTime, limits.headTime, limits.bodyTime) = (hours, hours, hours)
        (limits.writeTime, limits.lingerTime) = (hours, hours)
        let identity = stall.usesTLS ? try TestAuthority().identity() : nil
        let server = try HTTPServer(on: ListeningPort(), identity: identity, limits: limits) { request in
            request.target == "/large" ? HTTPLimitsTests.large(request) : HTTPServerTests.echo(request)
        }
        defer { server.stop(within: .zero) }
        let stalled = try (0..<2).map { _ in try RawClient(port: server.port) }
        for client in stalled {
            client.send(stall.text)
            if !stall.awaited.isEmpty { #expect(client.read(upTo: stall.awaited).hasSuffix(stall.awaited)) }
        }
        // Without the rule, this client would wait for hours.
        let other = try RawClient(port: server.port)
        other.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(other.read(upTo: "\r\n\r\n").hasPrefix(stall.usesTLS ? "HTTP/1.1 400 " : "HTTP/1.1 200 "))
        withExtendedLifetime(stalled) {}
    }

    @Test(arguments: [
        (Listener.State.open, 30, 30), (.stopping, 30, 30), (.full, 30, 1), (.full, 0, 0),
    ])
    func `a wait is shorter if all connections are in use`(state: Listener.State, limit: Int, expected: Int) {
        let start = ContinuousClock.now
        let status = Listener.Status(read: { state }, changes: ChangeSignal())
        let deadline = PeerDeadline(.seconds(limit), since: start, whenFull: .seconds(1), status)
        #expect(deadline.time == start + .seconds(expected))
    }
}
