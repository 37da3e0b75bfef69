import Dispatch
import HubLock
import HubTestSupport
@testable import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct HTTPStopTests {
    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test func `answers what is under way, and then closes everything`() throws {
        let (started, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try HTTPServer { request in
            if request.target == "/slow" {
                started.signal()
                goOn.wait()
            }
            return HTTPServerTests.echo(request)
        }
        let (idle, half, slow) = (
            try RawClient(port: server.port), try RawClient(port: server.port), try RawClient(port: server.port)
        )
        idle.send(Self.get)
        #expect(idle.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 "))
        half.send("\(Self.get)PUT / HTTP/1.1\r\nContent-")
        #expect(half.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 "))
        slow.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n\(Self.get)")
        started.wait()

        let stopped = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            server.stop(within: .seconds(50))
            stopped.signal()
        }
        #expect(idle.readToEnd() == ("", .closed))
        #expect(half.readToEnd().text.hasPrefix("HTTP/1.1 503 "))
        goOn.signal()
        let (text, end) = slow.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 200 "))
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.hasSuffix("GET /slow "))
        #expect(end == .closed)
        stopped.wait()
        #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
    }

    @Test func `breaks off what does not come to its end`() throws {
        var limits = HTTPLimits()
        limits.writeTime = .seconds(3600)
        let server = try HTTPServer(limits: limits, handler: HTTPLimitsTests.large)
        let client = try RawClient(port: server.port)
        client.send(Self.get)
        #expect(client.receive(within: 30_000) == nil)
        // Returns long before the client's time is up, which is longer than the test's.
        server.stop(within: .milliseconds(100))
        #expect(client.readToEnd().text.utf8.count < 64 << 20)
    }

    @Test func `ends the wait for an answer that is to come later`() throws {
        let asked = DispatchSemaphore(value: 0)
        let server = try HTTPServer { request in
            .later(within: .seconds(50)) {
                asked.signal()
                return nil
            } otherwise: {
                HTTPServerTests.echo(request)
            }
        }
        let client = try RawClient(port: server.port)
        client.send(Self.get)
        asked.wait()
        server.stop(within: .seconds(50))
        #expect(client.readToEnd().text.hasSuffix("GET / "))
    }

    @Test(arguments: ["", "x", get + get])
    func `forgets an answer that is to come later, once the client has left`(sentBefore: String) throws {
        let asked = DispatchSemaphore(value: 0)
        let othersCalled = Locked(false)
        var limits = HTTPLimits()
        limits.connectionCount = 1
        let server = try HTTPServer(limits: limits) { request in
            guard request.target == "/later" else { return HTTPServerTests.echo(request) }
            return .later(within: .seconds(50)) {
                asked.signal()
                return nil
            } otherwise: {
                othersCalled.withLock { $0 = true }
                return .reset
            }
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GET /later HTTP/1.1\r\nHost: h\r\n\r\n")
        asked.wait()
        client.send(sentBefore)
        client.stopSending()
        #expect(client.readToEnd().text == "")
        // The one connection that there may be is free again.
        let other = try RawClient(port: server.port)
        other.send(Self.get)
        #expect(other.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 "))
        #expect(!othersCalled.withLock { $0 })
    }

    @Test func `goes on with what the client has sent while it waited for an answer`() throws {
        let asked = DispatchSemaphore(value: 0)
        let goOn = Locked(false)
        let server = try HTTPServer { request in
            guard request.target == "/later" else { return HTTPServerTests.echo(request) }
            return .later(within: .seconds(50)) {
                asked.signal()
                return goOn.withLock { $0 } ? HTTPServerTests.echo(request) : nil
            } otherwise: {
                .reset
            }
        }
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send("GET /later HTTP/1.1\r\nHost: h\r\n\r\n")
        client.send("PUT /next HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n")
        client.send(String(repeating: "a", count: 100_000))
        for _ in 1...3 { asked.wait() }
        goOn.withLock { $0 = true }
        #expect(client.read(upTo: "GET /later ").hasPrefix("HTTP/1.1 200 "))
        #expect(client.read(upTo: "PUT /next a").hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `ends the wait for an answer that is to come later when others wait for a connection`() throws {
        var limits = HTTPLimits()
        limits.connectionCount = 2
        let server = try HTTPServer(limits: limits) { request in
            guard request.target == "/later" else { return HTTPServerTests.echo(request) }
            return .stall(.seconds(3600)) { HTTPServerTests.echo(request) }
        }
        defer { server.stop() }
        let clients = try (0..<4).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send("GET /later HTTP/1.1\r\nHost: h\r\n\r\n") }
        let other = try RawClient(port: server.port)
        other.send(Self.get)
        #expect(other.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 "))
        #expect(clients[0].readToEnd().text.hasSuffix("GET /later "))
    }
}
