import Foundation
import HubTestSupport
@testable import HubServer
import Testing

@Suite(.blocking, .timeLimit(.minutes(30))) struct HTTPStopTests {
    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test func `completes requests in flight, then closes all connections`() throws {
        let (started, proceed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try HTTPServer(on: ListeningPort()) { request in
            if request.target == "/slow" {
                started.signal()
                proceed.wait()
            }
            return HTTPServerTests.echo(request)
        }
        let (idle, incomplete, slow) = (
            try RawClient(port: server.port), try RawClient(port: server.port), try RawClient(port: server.port)
        )
        idle.send(Self.get)
        #expect(idle.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 "))
        incomplete.send("\(Self.get)PUT / HTTP/1.1\r\nContent-")
        #expect(incomplete.read(upTo: "GET / ").hasPrefix("HTTP/1.1 200 "))
        slow.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n\(Self.get)")
        started.wait()

        let stopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.stop(within: .seconds(50))
            stopped.signal()
        }
        #expect(idle.readToEnd() == ("", .closed))
        #expect(incomplete.readToEnd().text.hasPrefix("HTTP/1.1 503 "))
        proceed.signal()
        let (text, end) = slow.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 200 "))
        #expect(text.contains("\r\nConnection: close\r\n"))
        #expect(text.hasSuffix("GET /slow "))
        #expect(end == .closed)
        stopped.wait()
        #expect(throws: RawClient.ConnectionError.self) { try RawClient(port: server.port) }
    }

    @Test func `closes connections whose responses do not complete in time`() throws {
        var limits = HTTPLimits()
        limits.writeTime = .seconds(3600)
        let server = try HTTPServer(on: ListeningPort(), limits: limits, handler: HTTPLimitsTests.large)
        let client = try RawClient(port: server.port)
        client.send(Self.get)
        #expect(client.receive(within: 30_000) == nil)
        // Must return before the write limit, which exceeds the test's time limit.
        server.stop(within: .milliseconds(100))
        #expect(client.readToEnd().text.utf8.count < 64 << 20)
    }

    @Test func `ends delayed responses early when other clients wait for a connection`() throws {
        var limits = HTTPLimits()
        limits.connectionCount = 2
        let server = try HTTPServer(on: ListeningPort(), limits: limits) { request in
            guard request.target == "/later" else { return HTTPServerTests.echo(request) }
            return .delay(.seconds(3600)) { HTTPServerTests.echo(request) }
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
