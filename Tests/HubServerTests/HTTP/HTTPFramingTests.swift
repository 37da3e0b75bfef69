@testable import HubServer
import Testing

/// The framing of messages (RFC 9112): products of the variations of a message's parts.
///
/// The rule: a message is accepted if each of its parts is valid and its parts fit together. Then its body is exact, and the next request
/// follows. Otherwise, the connection ends with an error, and no request of it is served: an attacker cannot smuggle one.
@Suite struct HTTPFramingTests {
    /// A variation of a part of a message.
    struct Part: Sendable {
        let text: String
        let isValid: Bool

        static func valid(_ texts: String...) -> [Part] { texts.map { Part(text: $0, isValid: true) } }
        static func invalid(_ texts: String...) -> [Part] { texts.map { Part(text: $0, isValid: false) } }
    }

    private static let next = "GET /next HTTP/1.1\r\nHost: h\r\n\r\n"

    /// Checks a message that a second one follows, in one piece and byte by byte.
    private func check(
        _ message: String, accepted isAccepted: Bool, body: String = "", closes: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let bytes = Array((message + Self.next).utf8)
        for size in [bytes.count, 1] {
            var parser = HTTPRequestParser()
            var served: [HTTPRequest] = []
            var error: HTTPRequestError?
            do throws(HTTPRequestError) {
                for start in stride(from: 0, to: bytes.count, by: size) where served.last?.keepsAlive != false {
                    parser.append(Array(bytes[start...].prefix(size)))
                    while served.last?.keepsAlive != false, let request = try parser.next() { served.append(request) }
                }
            } catch let failure {
                error = failure
            }
            let comment = Comment(rawValue: "\(message.debugDescription) in pieces of \(size) bytes")
            if isAccepted {
                #expect(error == nil, comment, sourceLocation: sourceLocation)
                #expect(served.count == (closes ? 1 : 2), comment, sourceLocation: sourceLocation)
                #expect(served.first?.body == Array(body.utf8), comment, sourceLocation: sourceLocation)
                #expect(closes || served.last?.target == "/next", comment, sourceLocation: sourceLocation)
            } else {
                #expect(error != nil, comment, sourceLocation: sourceLocation)
                #expect(served.isEmpty, comment, sourceLocation: sourceLocation)
            }
        }
    }

    @Test func `serves a body only if exactly one valid header declares its length`() {
        let lengths =
            Part.valid("3", "03", "0000000000000000000000003", " 3", "3 ", "\t3\t")
            + Part.invalid(
                "+3", "-3", "3,3", "3, 3", "0x3", "3.0", "3 3", "", "a", "３", "3;a", "\u{b}3", "3\0", "1048577",
                "99999999999999999999", "3\r\nContent-Length: 3", "3\r\nContent-Length: 4")
        let codings =
            Part.valid("chunked", "Chunked", "CHUNKED", " chunked\t")
            + Part.invalid(
                "xchunked", "chunked, chunked", "gzip, chunked", "identity", "", "chunked;q=1", "\"chunked\"",
                "chun\u{212a}ed",
                "chunked\u{b}", "chunked\0", "chunked,", "chu nked", "chunked\r\nTransfer-Encoding: chunked")
        var count = 0
        for version in ["1.1", "1.0"] {
            for length in [nil] + lengths.map(Optional.some) {
                for coding in [nil] + codings.map(Optional.some) {
                    var text = "PUT / HTTP/\(version)\r\nHost: h\r\n"
                    if let length { text += "Content-Length:\(length.text)\r\n" }
                    if let coding { text += "Transfer-Encoding:\(coding.text)\r\n" }
                    let isAccepted =
                        length?.isValid != false && coding?.isValid != false && (length == nil || coding == nil)
                        && (coding == nil || version == "1.1")
                    let hasBody = length != nil || coding != nil
                    text += "\r\n" + (coding != nil ? "3\r\nabc\r\n0\r\n\r\n" : hasBody ? "abc" : "")
                    check(text, accepted: isAccepted, body: hasBody ? "abc" : "", closes: version == "1.0")
                    count += 1
                }
            }
        }
        #expect(count == 2 * 24 * 18)
    }

    @Test func `serves a body of chunks only if each chunk is valid`() {
        let sizes =
            Part.valid("3", "03", "0000000000000000000000003", "3;a", "3;a=b", "3;a=\"b c\"", "3;")
            + Part.invalid(
                "+3", "-3", "0x3", " 3", "3 ", "3\t", "", "g", "3g", "3,", "3;\u{1}", "3;\0", "fffffffffffffffff",
                "7fffffffffffffff", "100001", "3\r", "3;" + String(repeating: "a", count: 300))
        let contents = Part.valid("abc\r\n") + Part.invalid("abc\n", "abc\r", "abcd\r\n", "ab\r\n", "abc", "abc\r\r\n")
        let ends =
            Part.valid("0\r\n\r\n", "000\r\n\r\n", "0;a\r\n\r\n", "0\r\nT: v\r\n\r\n", "0\r\nContent-Length: 9\r\n\r\n")
            + Part.invalid(
                "0\r\n T: v\r\n\r\n", "0\r\nT : v\r\n\r\n", "0\r\nT\r\n\r\n", "0\n\n", "-0\r\n\r\n", "0 \r\n\r\n",
                "0\r\n\n",
                "0\r\nT: v\n\r\n", "0\r\nT: \0\r\n\r\n")
        let head = "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        for size in sizes {
            for content in contents {
                for end in ends {
                    check(
                        "\(head)\(size.text)\r\n\(content.text)\(end.text)",
                        accepted: size.isValid && content.isValid && end.isValid, body: "abc")
                }
            }
        }
    }

    @Test func `serves a request only if each line of its head is valid`() {
        let requestLines =
            Part.valid(
                "GET /a HTTP/1.1", "get /a HTTP/1.1", "M-SEARCH /a HTTP/1.1", "GET http://h/a HTTP/1.1",
                "GET HTTP://h HTTP/1.1", "OPTIONS * HTTP/1.1", "GET /a?b=c%20 HTTP/1.1", "\r\nGET /a HTTP/1.1")
            + Part.invalid(
                "GET  /a HTTP/1.1", "GET /a  HTTP/1.1", " GET /a HTTP/1.1", "GET /a HTTP/1.1 ", "GET\t/a HTTP/1.1",
                "GET /a", "GET /a HTTP/0.9", "GET /a HTTP/1.2", "GET /a HTTP/2.0", "GET /a http/1.1",
                "GET /a HTTP/1.1x",
                "GET /a HTTP/11", "GET /a HTTP/1,1", "GET /a#f HTTP/1.1", "GET a HTTP/1.1", "GET * HTTP/1.1",
                "GET /\0 HTTP/1.1",
                "GET /é HTTP/1.1", "G(T /a HTTP/1.1", "CONNECT h:443 HTTP/1.1", "GET ftp://h/a HTTP/1.1",
                "GET http:///a HTTP/1.1", "GET http://u@h/a HTTP/1.1", "\r\n\r\nGET /a HTTP/1.1", "GET /a HTTP/1.1\rX",
                "PRI * HTTP/2.0", "", "\0", "\u{16}\u{3}\u{1}")
        let headers =
            Part.valid(
                "", "A: b\r\n", "A:b\r\n", "A:\r\n", "A:\tb\t\r\n", "A: é\r\n",
                "Connection: upgrade\r\nUpgrade: h2c\r\n",
                "Expect: 100-continue\r\n", "TE: trailers\r\n", "Trailer: X\r\n", "Connection: keep-alive, x\r\n")
            + Part.invalid(
                "A : b\r\n", " A: b\r\n", "A: b\r\n c\r\n", "A: b\r\n\tc\r\n", "A\r\n", ": b\r\n", "A\0: b\r\n",
                "A: b\0c\r\n",
                "A: b\rc\r\n", "A: b\n", "A\t: b\r\n", "Host: h\r\n", "A: \u{7f}\r\n", "Expect: x\r\n", "Ä: b\r\n",
                "A(: b\r\n", "\n")
        for line in requestLines {
            for header in headers {
                check(
                    "\(line.text)\r\nHost: h\r\n\(header.text)\r\n", accepted: line.isValid && header.isValid)
            }
        }
    }

    @Test(arguments: ["", "Host: h\r\nHost: h\r\n", "Host: a b\r\n", "Host: h/\r\n", "Host: h,i\r\n", "Host: u@h\r\n"])
    func `rejects a request without one valid host`(header: String) {
        check("GET / HTTP/1.1\r\n\(header)\r\n", accepted: false)
    }
}
