import HubTestSupport
@testable import HubServer
import Testing

@Suite(.blocking, .timeLimit(.minutes(30))) struct HTTPServerTests {
    /// A handler whose response contains the method, target and body.
    static let echo: HTTPHandler = { request in
        let text = "\(request.method) \(request.target) \(String(decoding: request.body, as: UTF8.self))"
        return .respond(HTTPResponse(status: 200, body: Array(text.utf8)))
    }

    @Test func `responds to pipelined requests in order`() throws {
        let server = try HTTPServer(on: ListeningPort(), handler: Self.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        let targets = (1...200).map { "/\($0)" }
        client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
        client.stopSending()
        let (text, end) = client.readToEnd()
        #expect(end == .closed)
        // Each head follows the previous body.
        let responses = text.split(separator: "\r\n\r\n").dropFirst().map { String($0.split(separator: " ")[1]) }
        #expect(responses == targets)
        #expect(!text.contains("Connection: close"))
    }

    @Test func `keeps a connection open until the client closes it`() throws {
        let server = try HTTPServer(on: ListeningPort(), handler: Self.echo)
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

    @Test func `requests the body of an Expect header`() throws {
        let server = try HTTPServer(on: ListeningPort(), handler: Self.echo)
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
    func `rejects an invalid request immediately`(text: String, status: Int) throws {
        let server = try HTTPServer(on: ListeningPort(), handler: Self.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(text)
        let (response, end) = client.readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 \(status) "))
        #expect(response.contains("\r\nConnection: close\r\n"))
        #expect(end == .closed)
    }

    @Test func `delivers an error response to a client that continues sending`() throws {
        let server = try HTTPServer(on: ListeningPort(), handler: Self.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GARBAGE\r\n" + String(repeating: "a", count: 8 << 20))
        let (response, end) = client.readToEnd()
        #expect(response.hasPrefix("HTTP/1.1 400 "))
        #expect(end == .closed)
    }

    @Test func `responds with an error to an incomplete request`() throws {
        let server = try HTTPServer(on: ListeningPort(), handler: Self.echo)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\n")
        client.stopSending()
        #expect(client.readToEnd().text.hasPrefix("HTTP/1.1 400 "))
    }

    @Test func `resets a connection`() throws {
        let server = try HTTPServer(on: ListeningPort()) { _ in .reset }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        let (text, end) = client.readToEnd()
        #expect(text == "")
        #expect(end == .reset)
    }

    @Test func `responds after a delay`() throws {
        let server = try HTTPServer(on: ListeningPort()) { request in .delay(.milliseconds(30)) { Self.echo(request) } }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        let start = ContinuousClock.now
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(client.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 "))
        #expect(.now - start >= .milliseconds(30))
    }

    @Test func `listens on an IPv6 address`() throws {
        do {
            let server = try HTTPServer(on: ListeningPort(address: "::"), handler: Self.echo)
            defer { server.stop() }
            // The client connects over IPv4.
            let client = try RawClient(port: server.port)
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(client.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 "))
        } catch let error as SocketError {
            // Many containers have no IPv6.
            #expect(error.description.hasPrefix("cannot create a socket: "))
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1.", "", "[::1]", "300.0.0.1"])
    func `rejects addresses that are not literals`(address: String) {
        let error = #expect(throws: SocketError.self) { try ListeningPort(address: address) }
        #expect(error?.description.hasSuffix(": Invalid argument") == true)
    }
}
