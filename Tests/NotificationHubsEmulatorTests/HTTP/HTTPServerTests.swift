import HubLock
import HubTestSupport
import NotificationHubs
@testable import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct HTTPServerTests {
    /// Answers with method, target and body.
    static let echo: HTTPHandler = { request in
        let text = "\(request.method) \(request.target) \(String(decoding: request.body, as: UTF8.self))"
        return .response(HubResponse(status: 200, body: Array(text.utf8)))
    }

    @Test func `answers pipelined requests in order`() throws {
        let server = try HTTPServer(handler: Self.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        let targets = (1...200).map { "/\($0)" }
        client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
        client.stopSending()
        let (text, end) = client.readToEnd()
        #expect(end == .closed)
        // Each head comes behind the body before it.
        let answers = text.split(separator: "\r\n\r\n").dropFirst().map { String($0.split(separator: " ")[1]) }
        #expect(answers == targets)
        #expect(!text.contains("Connection: close"))
    }

    @Test func `answers on one connection as long as both want`() throws {
        let server = try HTTPServer(handler: Self.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
        #expect(client.read(upTo: "PUT /a abc").hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
        client.send("PUT /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n")
        #expect(client.read(upTo: "PUT /b abcd").contains("Content-Length: 11\r\n"))
        client.send("HEAD /c HTTP/1.1\r\nHost: h\r\n\r\nOPTIONS * HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nmore")
        let head = client.read(upTo: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(head.contains("Content-Length: 8\r\n"))
        let (text, end) = client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 204 No Content\r\nAllow: GET"))
        #expect(text.hasSuffix("Connection: close\r\n\r\n"))
        #expect(end == .closed)
    }

    @Test func `asks for a body that the client holds back`() throws {
        let server = try HTTPServer(handler: Self.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        #expect(client.read(upTo: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("abc")
        #expect(client.read(upTo: "PUT /a abc").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test(arguments: [
        ("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577\r\nExpect: 100-continue\r\n\r\n", 413),
        ("\u{16}\u{3}\u{1}", 400),
        ("\r\n\u{16}", 400), ("é", 400),
        ("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: more\r\n\r\n", 417), ("GARBAGE\r\n", 400),
        ("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ])
    func `refuses a request without reading on`(text: String, status: Int) throws {
        let server = try HTTPServer(handler: Self.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(text)
        let (answer, end) = client.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("\r\nConnection: close\r\n"))
        #expect(end == .closed)
    }

    @Test func `lets a client see why it is refused, though that goes on sending`() throws {
        let server = try HTTPServer(handler: Self.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GARBAGE\r\n" + String(repeating: "a", count: 8 << 20))
        let (answer, end) = client.readToEnd()
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(end == .closed)
    }

    @Test func `answers a request that ends too early`() throws {
        let server = try HTTPServer(handler: Self.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\n")
        client.stopSending()
        #expect(client.readToEnd().text.hasPrefix("HTTP/1.1 400 "))
    }

    @Test func `resets a connection`() throws {
        let server = try HTTPServer { _ in .reset }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        let (text, end) = client.readToEnd()
        #expect(text == "")
        #expect(end == .reset)
    }

    @Test func `answers later, once there is something to say`() throws {
        let asked = Locked(0)
        let server = try HTTPServer { request in
            .later(within: .seconds(60)) {
                let count = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                return count < 3 ? nil : Self.echo(request)
            } otherwise: {
                .reset
            }
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(client.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `goes on after a stall`() throws {
        let server = try HTTPServer { request in .stall(.milliseconds(30)) { Self.echo(request) } }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        let start = ContinuousClock.now
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(client.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 "))
        #expect(.now - start >= .milliseconds(30))
    }

    @Test func `listens at an address by IPv6`() throws {
        do {
            let server = try HTTPServer(address: "::", handler: Self.echo)
            defer { server.stop() }
            // By IPv4.
            let client = try RawClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(client.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 "))
        } catch let error as SocketError {
            // There is none in many a container.
            #expect(error.description.hasPrefix("cannot socket: "))
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1.", "", "[::1]", "300.0.0.1"])
    func `listens at literal addresses alone`(address: String) {
        let error = #expect(throws: SocketError.self) { try HTTPServer(address: address, handler: Self.echo) }
        #expect(error?.description.hasSuffix(": Invalid argument") == true)
    }
}
