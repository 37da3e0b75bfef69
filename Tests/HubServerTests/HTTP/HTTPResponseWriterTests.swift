import HubText
@testable import HubServer
import Testing

@Suite struct HTTPResponseWriterTests {
    @Test(arguments: [
        (200, false, true, "HTTP/1.1 200 OK\r\nA: b\r\nDate: d\r\nContent-Length: 3\r\n\r\nabc"),
        (200, true, true, "HTTP/1.1 200 OK\r\nA: b\r\nDate: d\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"),
        (200, false, false, "HTTP/1.1 200 OK\r\nA: b\r\nDate: d\r\nContent-Length: 3\r\n\r\n"),
        (204, false, true, "HTTP/1.1 204 No Content\r\nA: b\r\nDate: d\r\n\r\n"),
        (304, false, true, "HTTP/1.1 304 Not Modified\r\nA: b\r\nDate: d\r\n\r\n"),
        (599, false, true, "HTTP/1.1 599 Status\r\nA: b\r\nDate: d\r\nContent-Length: 3\r\n\r\nabc"),
    ])
    func `sets the headers that frame a response`(status: Int, closing: Bool, withBody: Bool, text: String) {
        let response = HTTPResponse(
            status: status,
            headers: ["A": "b", "Transfer-Encoding": "chunked", "content-length": "9", "connection": "keep-alive"],
            body: Array("abc".utf8))
        #expect(written(response, closing: closing, withBody: withBody) == text)
    }

    @Test func `keeps an existing date`() {
        let text = written(HTTPResponse(status: 204, headers: ["date": "mine"]))
        #expect(text == "HTTP/1.1 204 No Content\r\ndate: mine\r\n\r\n")
    }

    @Test func `writes a given reason phrase`() {
        let text = written(HTTPResponse(status: 401, reason: "40103: Invalid signature"))
        #expect(text.hasPrefix("HTTP/1.1 401 40103: Invalid signature\r\n"))
    }

    private func written(_ response: HTTPResponse, closing: Bool = false, withBody: Bool = true) -> String {
        let bytes = HTTPResponseWriter.bytes(of: response, date: "d", closing: closing, withBody: withBody)
        return String(decoding: bytes, as: UTF8.self)
    }
}
