import HubLock
import HubTestSupport
import NotificationHubs
@testable import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct HTTPLimitsTests {
    /// Answers with more than the system keeps for a client that does not read.
    static let large: HTTPHandler = { _ in
        .response(HubResponse(status: 200, body: .init(repeating: UInt8(ascii: "a"), count: 64 << 20)))
    }

    @Test(arguments: [
        ("", "GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        ("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n", "a"),
        ("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"),
    ])
    func `drops a client that sends a request byte by byte`(start: String, dribble: String) throws {
        var limits = HTTPLimits()
        (limits.headTime, limits.bodyTime) = (.milliseconds(200), .milliseconds(200))
        let server = try HTTPServer(limits: limits, handler: HTTPServerTests.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(start)
        // A byte more often than the server's limits, until it answers.
        for byte in repeatElement(Array(dribble), count: 1000).joined() {
            client.send(String(byte))
            if client.receive(within: 20) == nil { break }
        }
        let (text, end) = client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(end != .open)
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "\r\n"])
    func `closes a connection on which nothing happens`(text: String) throws {
        var limits = HTTPLimits()
        limits.idleTime = .seconds(3)
        let server = try HTTPServer(limits: limits, handler: HTTPServerTests.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(text)
        let (answer, end) = client.readToEnd()
        #expect(answer.isEmpty == (text.utf8.count < 3))
        #expect(!answer.contains("408"))
        #expect(end == .closed)
    }

    @Test func `drops a client that does not read`() throws {
        var limits = HTTPLimits()
        (limits.writeTime, limits.connectionCount) = (.milliseconds(200), 1)
        let server = try HTTPServer(limits: limits, handler: Self.large)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        // Is served once the first is not any more.
        let other = try RawClient(port: server.port)
        other.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(other.read(upTo: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        let (text, end) = client.readToEnd()
        #expect(text.utf8.count < 64 << 20)
        #expect(end != .open)
    }

    @Test func `has connections wait that are too many, and others end sooner for them`() throws {
        var limits = HTTPLimits()
        limits.connectionCount = 2
        let server = try HTTPServer(limits: limits, handler: HTTPServerTests.echo)
        defer { server.stop() }
        let clients = try (0..<6).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        // In any order: those of the first that are answered while others wait are closed at once.
        for client in clients { #expect(client.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 ")) }
        #expect(clients[0].readToEnd().end == .closed)
    }

    @Test func `serves no more connections at a time than it is told`() throws {
        var limits = HTTPLimits()
        limits.connectionCount = 2
        let served = Locked((now: 0, most: 0))
        let server = try HTTPServer(limits: limits) { request in
            served.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            return .stall(.milliseconds(100)) {
                served.withLock { $0.now -= 1 }
                return HTTPServerTests.echo(request)
            }
        }
        defer { server.stop() }
        let clients = try (0..<6).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        for client in clients { #expect(client.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 ")) }
        #expect((1...2).contains(served.withLock { $0.most }))
    }
}
