@testable import NotificationHubsEmulator
import NotificationHubs
import Testing

@Suite struct HTTPRequestParserTests {
    @Test func `reads requests one after the other, however the bytes come in`() throws {
        let bytes = Array(
            "PUT /a?b=c HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nhost:h\r\n\r\n".utf8)
        for size in [1, 7, bytes.count] {
            var parser = HTTPRequestParser()
            var requests: [HTTPRequest] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                parser.append(Array(bytes[start...].prefix(size)))
                while let request = try parser.next() { requests.append(request) }
            }
            #expect(requests.map(\.method) == ["PUT", "GET"])
            #expect(requests.map(\.path) == ["/a", "/"])
            #expect(requests.map(\.query) == ["b=c", ""])
            #expect(requests.map(\.body) == [Array("abc".utf8), []])
            #expect(requests.allSatisfy { $0.headers["HOST"] == "h" && $0.keepsAlive })
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", false),
        ("GET / HTTP/1.0\r\n\r\n", false), ("GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n", true),
    ])
    func `keeps the connection as the client asks`(text: String, keepsAlive: Bool) throws {
        #expect(try parse(text)?.keepsAlive == keepsAlive)
    }

    @Test(arguments: [
        ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("G@T / HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET / HTTP/2\r\nHost: h\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\u{0}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nnocolon\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577\r\n\r\n", 413),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
        ("GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
        ("GET /\(String(repeating: "a", count: 40_000))", 431),
        ("GET / HTTP/1.1\r\nHost: h\r\n\(String(repeating: "a: b\r\n", count: 100))\r\n", 431),
    ])
    func `refuses what could be understood in two ways`(text: String, status: Int) {
        let error = #expect(throws: HTTPRequestError.self) { try parse(text) }
        #expect(error?.status == status)
    }

    @Test func `asks once for a body that the client holds back`() throws {
        var parser = HTTPRequestParser()
        parser.append(Array("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n".utf8))
        var request = try parser.next()
        #expect(request == nil)
        let asksFirst = parser.expectsContinue()
        let asksAgain = parser.expectsContinue()
        #expect((asksFirst, asksAgain) == (true, false))
        parser.append(Array("abc".utf8))
        request = try parser.next()
        #expect(request?.body == Array("abc".utf8))
    }

    private func parse(_ text: String) throws -> HTTPRequest? {
        var parser = HTTPRequestParser()
        parser.append(Array(text.utf8))
        return try parser.next()
    }
}
