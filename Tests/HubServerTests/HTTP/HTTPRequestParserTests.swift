import HubText
@testable import HubServer
import Testing

@Suite struct HTTPRequestParserTests {
    @Test func `parses consecutive requests, regardless of how the input is split`() throws {
        let text = """
            PUT /a?b=c HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc\
            \r\nPOST / HTTP/1.1\r\nhost:h\r\nTransfer-Encoding: Chunked\r\n\r\n\
            3;a=b\r\na\r\n\r\n00a\r\n0123456789\r\n0\r\nX: y\r\n\r\nGET / HTTP/1.1\r\nhost:h \r\n\r\n
            """
        let bytes = Array(text.utf8)
        for size in [1, 2, 7, bytes.count] {
            var parser = HTTPRequestParser()
            var requests: [HTTPRequest] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                parser.append(Array(bytes[start...].prefix(size)))
                while let request = try parser.next() { requests.append(request) }
            }
            #expect(requests.map(\.method) == ["PUT", "POST", "GET"])
            #expect(requests.map(\.path) == ["/a", "/", "/"])
            #expect(requests.map(\.query) == ["b=c", "", ""])
            #expect(requests.map(\.body) == ["abc", "a\r\n0123456789", ""].map { Array($0.utf8) })
            #expect(requests.allSatisfy { $0.headers["HOST"] == "h" && $0.keepsAlive })
            #expect(requests.allSatisfy { $0.headers["Transfer-Encoding"] == nil && $0.headers["X"] == nil })
            #expect(parser.progress == .nothing)
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: h\r\nConnection: a ,\tClose\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: h\r\nConnection: a\r\nConnection: close\r\n\r\n", false),
        ("GET / HTTP/1.0\r\n\r\n", false), ("GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\n", true),
        ("GET / HTTP/1.1\r\nHost: h\r\nConnection: not-close\r\n\r\n", true),
    ])
    func `keeps the connection open as the client requests`(text: String, keepsAlive: Bool) throws {
        #expect(try parse(text)?.keepsAlive == keepsAlive)
    }

    @Test(arguments: [
        ("GET /a?b HTTP/1.1\r\nHost: h:1\r\n\r\n", "/a?b", "h:1"),
        ("GET HTTP://i:2/a?b HTTP/1.1\r\nHost: h:1\r\n\r\n", "/a?b", "i:2"),
        ("GET https://i HTTP/1.1\r\nHost: h\r\n\r\n", "/", "i"),
        ("GET http://[::1]:2?b HTTP/1.1\r\nHost: h\r\n\r\n", "/?b", "[::1]:2"),
        ("GET //i/ HTTP/1.1\r\nHost: h\r\n\r\n", "//i/", "h"), ("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "*", "h"),
    ])
    func `takes the host from an absolute target`(text: String, target: String, host: String) throws {
        let request = try parse(text)
        #expect(request?.target == target)
        #expect(request?.headers["Host"] == host)
    }

    @Test(arguments: [
        ("GET /\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET / HTTP/1.1 \r\n", 400),
        ("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET / HTTP/1.1\nHost: h\n\n", 400),
        ("GET / http/1.1\r\nHost: h\r\n\r\n", 400), ("GET h HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET http:// HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET http://u@h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET * HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("GET /# HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET /ä HTTP/1.1\r\nHost: h\r\n\r\n", 400),
        ("G@T / HTTP/1.1\r\nHost: h\r\n\r\n", 400), ("GET / HTTP/2\r\nHost: h\r\n\r\n", 505),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\u{0}\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nX:\u{301} y\r\n :\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: h\r\nnocolon\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: h\r\n: y\r\n\r\n", 400),
        ("GET /\(String(repeating: "a", count: 40_000))", 431),
        ("GET / HTTP/1.1\r\nHost: h\r\n\(String(repeating: "a: b\r\n", count: 100))\r\n", 431),
        ("GET / HTTP/1.1\r\n\(String(repeating: "a: \(String(repeating: "b", count: 4096))\r\n", count: 8))", 431),
        ("GET / HTTP/1.1\r\nHost: h\r\nExpect: 200-ok\r\n\r\n", 417),
    ])
    func `rejects invalid and ambiguous requests`(text: String, status: Int) {
        let error = #expect(throws: HTTPRequestError.self) { try parse(text) }
        #expect(error?.status == status)
    }

    @Test(arguments: [
        ("Content-Length: x\r\n\r\n", 400), ("Content-Length: -1\r\n\r\n", 400), ("Content-Length: +1\r\n\r\n", 400),
        ("Content-Length:\r\n\r\n", 400), ("Content-Length: 0x1\r\n\r\n", 400), ("Content-Length: 1, 1\r\n\r\n", 400),
        ("Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("Content-Length: 1\r\nContent-Length: 1\r\n\r\n", 400), ("Content-Length: 1048577\r\n\r\n", 413),
        ("Content-Length: 99999999999999999999\r\n\r\n", 413),
        ("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("Transfer-Encoding: identity\r\n\r\n", 501), ("Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("Transfer-Encoding:\r\n\r\n", 501), ("Transfer-Encoding: xchunked\r\n\r\n", 501),
        // Unicode maps the Kelvin sign to k.
        ("Transfer-Encoding: chun\u{212a}ed\r\n\r\n", 501),
    ])
    func `rejects invalid and ambiguous body lengths`(headers: String, status: Int) {
        let error = #expect(throws: HTTPRequestError.self) {
            try parse("PUT / HTTP/1.1\r\nHost: h\r\n\(headers)")
        }
        #expect(error?.status == status)
    }

    @Test(arguments: [
        ("\r\n", 400), (";a\r\n", 400), ("-1\r\n", 400), ("+1\r\n", 400), ("0x1\r\n", 400), (" 1\r\n", 400),
        ("1 \r\n", 400), ("1\n", 400), ("1;\u{0}\r\n", 400), ("1;\(String(repeating: "a", count: 256))", 400),
        ("1\r\nabc", 400), ("1\r\na\n", 400), ("1\r\nabc\r\n", 400), ("100001\r\n", 413),
        ("ffffffffffffffffff\r\n", 413),
        ("0\r\nX\r\n", 400), ("0\r\n X: y\r\n", 400), ("0\r\nX: y\n", 400),
        ("0\r\n\(String(repeating: "a: b\r\n", count: 101))", 431),
        ("0\r\nX: \(String(repeating: "a", count: 40_000))", 431),
    ])
    func `rejects invalid chunks`(chunks: String, status: Int) {
        let error = #expect(throws: HTTPRequestError.self) {
            try parse("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)")
        }
        #expect(error?.status == status)
    }

    @Test func `accepts chunks up to the body limit`() throws {
        let head = "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunk = "8000\r\n\(String(repeating: "a", count: 0x8000))\r\n"
        let largest = head + String(repeating: chunk, count: 32)
        #expect(try parse(largest + "0\r\n\r\n")?.body.count == 1 << 20)
        let error = #expect(throws: HTTPRequestError.self) { try parse(largest + "1\r\n") }
        #expect(error?.status == 413)
    }

    @Test func `rejects chunks in HTTP/1.0`() {
        let error = #expect(throws: HTTPRequestError.self) {
            try parse("PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        }
        #expect(error?.status == 400)
    }

    @Test(arguments: ["Content-Length: 3\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"])
    func `requests the body of an Expect header once`(rest: String) throws {
        var parser = HTTPRequestParser()
        let parts = rest.split(separator: "\r\n\r\n", maxSplits: 1)
        parser.append(Array("PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\n\(parts[0])\r\n\r\n".utf8))
        var request = try parser.next()
        #expect(request == nil)
        #expect(parser.progress == .body)
        let first = parser.expectsContinue()
        let second = parser.expectsContinue()
        #expect((first, second) == (true, false))
        parser.append(Array(parts[1].utf8))
        request = try parser.next()
        #expect(request?.body == Array("abc".utf8))
    }

    @Test(arguments: [
        "PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n",
    ])
    func `does not request a body that the client sends anyway`(text: String) throws {
        var parser = HTTPRequestParser()
        parser.append(Array(text.utf8))
        let request = try parser.next()
        let expectsContinue = parser.expectsContinue()
        #expect(request == nil)
        #expect(!expectsContinue)
    }

    private func parse(_ text: String) throws -> HTTPRequest? {
        var parser = HTTPRequestParser()
        parser.append(Array(text.utf8))
        return try parser.next()
    }
}
