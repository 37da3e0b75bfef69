import HubLock
import HubTestSupport
@testable import HubServer
import Testing

@Suite(.blocking, .timeLimit(.minutes(30))) struct HTTPLimitsTests {
    /// A handler whose response is larger than the system's socket buffers.
    static let large: HTTPHandler = { _ in
        .respond(HTTPResponse(status: 200, body: .init(repeating: UInt8(ascii: "a"), count: 64 << 20)))
    }

    @Test(arguments: [
        ("", "GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        ("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n", "a"),
        ("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"),
    ])
    func `disconnects a client that sends a request too slowly`(start: String, dribble: String) throws {
        var limits = HTTPLimits()
        (limits.headTime, limits.bodyTime) = (.milliseconds(200), .milliseconds(200))
        let server = try HTTPServer(on: ListeningPort(), limits: limits, handler: HTTPServerTests.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(start)
        // Send bytes at a shorter interval than the server's limits, until it responds.
        for byte in repeatElement(Array(dribble), count: 1000).joined() {
            client.send(String(byte))
            if client.receive(within: 20) == nil { break }
        }
        let (text, end) = client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
        #expect(end != .open)
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "\r\n"])
    func `closes an idle connection`(text: String) throws {
        var limits = HTTPLimits()
        limits.idleTime = .seconds(3)
        let server = try HTTPServer(on: ListeningPort(), limits: limits, handler: HTTPServerTests.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(text)
        let (response, end) = client.readToEnd()
        #expect(response.isEmpty == (text.utf8.count < 3))
        #expect(!response.contains("408"))
        #expect(end == .closed)
    }

    @Test func `disconnects a client that does not read`() throws {
        var limits = HTTPLimits()
        (limits.writeTime, limits.connectionCount) = (.milliseconds(200), 1)
        let server = try HTTPServer(on: ListeningPort(), limits: limits, handler: Self.large)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        // This client is served after the first one is disconnected.
        let other = try RawClient(port: server.port)
        other.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(other.read(upTo: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        let (text, end) = client.readToEnd()
        #expect(text.utf8.count < 64 << 20)
        #expect(end != .open)
    }

    @Test func `serves excess connections by closing others after their responses`() throws {
        var limits = HTTPLimits()
        limits.connectionCount = 2
        let server = try HTTPServer(on: ListeningPort(), limits: limits, handler: HTTPServerTests.echo)
        defer { server.stop() }
        let clients = try (0..<6).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        // While clients wait, the server closes each connection after its response.
        for client in clients { #expect(client.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 ")) }
        #expect(clients[0].readToEnd().end == .closed)
    }

    @Test func `serves at most the maximum number of concurrent connections`() throws {
        var limits = HTTPLimits()
        limits.connectionCount = 2
        let served = Locked((current: 0, maximum: 0))
        let server = try HTTPServer(on: ListeningPort(), limits: limits) { request in
            served.withLock { $0 = ($0.current + 1, max($0.maximum, $0.current + 1)) }
            return .delay(.milliseconds(100)) {
                served.withLock { $0.current -= 1 }
                return HTTPServerTests.echo(request)
            }
        }
        defer { server.stop() }
        let clients = try (0..<6).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        for client in clients { #expect(client.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 ")) }
        #expect((1...2).contains(served.withLock { $0.maximum }))
    }
}
