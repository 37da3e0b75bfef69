import NotificationHubsTesting
import Testing

/// An answer of a server that wants to harm its client.
struct HostileAnswer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let end: RawServer.Step

    init(_ name: String, _ bytes: [UInt8], then end: RawServer.Step = .close) {
        (testDescription, self.bytes, self.end) = (name, bytes, end)
    }

    init(_ name: String, _ text: String, then end: RawServer.Step = .close) {
        self.init(name, Array(text.utf8), then: end)
    }

    static let all: [HostileAnswer] = messages + documents

    private static let ok = "HTTP/1.1 200 OK\r\n"

    /// Answers that are not, or hardly, messages of HTTP/1.1.
    private static let messages: [HostileAnswer] = [
        .init("nothing", ""), .init("a reset", "", then: .reset), .init("blank lines", "\r\n\r\n\r\n\r\n"),
        .init("binary", (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167) }),
        .init("a version only", "HTTP/1.1"), .init("half a status line", "HTTP/1.1 20"),
        .init("a future version", "HTTP/9.9 200 OK\r\n\r\n"), .init("no version", "hello"),
        .init("a status of two digits", "HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n"),
        .init("a status of four digits", "HTTP/1.1 2000 High\r\nContent-Length: 0\r\n\r\n"),
        .init("a negative status", "HTTP/1.1 -200 OK\r\nContent-Length: 0\r\n\r\n"),
        .init("a negative length", ok + "Content-Length: -1\r\n\r\n"),
        .init("a length that overflows", ok + "Content-Length: 99999999999999999999999\r\n\r\n"),
        .init("two lengths", ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        .init("a length above the body", ok + "Content-Length: 100\r\n\r\nab"),
        .init("a body above the limit", ok + "\r\n" + String(repeating: "a", count: 200_000)),
        .init("a chunk without a length", ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n"),
        .init("a chunk that overflows", ok + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\na"),
        .init("a negative chunk", ok + "Transfer-Encoding: chunked\r\n\r\n-1\r\na\r\n0\r\n\r\n"),
        .init("chunks without an end", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n"),
        .init("trailers", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\nAuthorization: a\r\n\r\n"),
        .init("chunks and a length", ok + "Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n0\r\n\r\n"),
        .init("an unknown transfer coding", ok + "Transfer-Encoding: lzma\r\n\r\nabc"),
        .init("damaged gzip", ok + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"),
        .init("many headers", ok + String(repeating: "A: b\r\n", count: 20_000) + "\r\n"),
        .init("a long header", ok + "A: " + String(repeating: "b", count: 1 << 20) + "\r\n\r\n"),
        .init("a header without a name", ok + ": b\r\n\r\n"), .init("a header without a colon", ok + "abc\r\n\r\n"),
        .init("a zero byte in a header", ok + "A: b\0c\r\nContent-Length: 0\r\n\r\n"),
        .init("a folded header", ok + "A: b\r\n\tc\r\nContent-Length: 0\r\n\r\n"),
        .init("interim responses", String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 2_000)),
        .init("another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nabc"),
        .init(
            "a redirect to another host",
            "HTTP/1.1 307 R\r\nLocation: http://localhost:9/a\r\nContent-Length: 0\r\n\r\n"),
        .init("a redirect to itself", "HTTP/1.1 308 R\r\nLocation: /hub/messages\r\nContent-Length: 0\r\n\r\n"),
        .init(
            "a proxy's challenge", "HTTP/1.1 407 P\r\nProxy-Authenticate: Basic realm=a\r\nContent-Length: 0\r\n\r\n"),
        .init(
            "a challenge",
            "HTTP/1.1 401 U\r\nWWW-Authenticate: Negotiate, NTLM, Basic realm=a\r\nContent-Length: 0\r\n\r\n"),
        .init("a body of 204", "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\nabc"),
        .init("304", "HTTP/1.1 304 Not Modified\r\n\r\n"),
        .init("a second response", ok + "Content-Length: 0\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n"),
        .init("busy for ever", "HTTP/1.1 503 Busy\r\nRetry-After: 99999999999\r\nContent-Length: 0\r\n\r\n"),
        .init("busy until the past", "HTTP/1.1 503 Busy\r\nRetry-After: -5\r\nContent-Length: 0\r\n\r\n"),
    ]

    /// Hostile documents in responses with several statuses.
    private static let documents: [HostileAnswer] = [200, 201, 404].flatMap { status in
        bodies.map { name, body in
            .init(
                "\(status), \(name)",
                Array(
                    """
                    HTTP/1.1 \(status) A\r\nContent-Type: application/json\r\nLocation: \\\\\0?sig=%\r
                    x-ms-continuationtoken: \t;\r\nETag: "\r\nContent-Length: \(body.count)\r\n\r\n
                    """.utf8) + body)
        }
    }

    private static let bodies: [(name: String, body: [UInt8])] =
        [
            ("deep arrays", String(repeating: "[", count: 90_000)),
            ("deep objects", String(repeating: #"{"a":"#, count: 18_000)),
            ("a large exponent", #"{"installationId":1e999999999}"#),
            ("many digits", String(repeating: "9", count: 90_000)),
            ("half a surrogate", #"{"installationId":"\ud800","platform":"\udc00"}"#),
            ("zero bytes", "\0\0\0{\0}\0"), ("two byte order marks", "\u{feff}\u{feff}{}"),
            ("duplicate members", #"{"platform":"apns","platform":"fcmv1","pushChannel":"a"}"#),
            ("null", "null"), ("an array", "[[],{},null]"), ("a string", #""sig=""#),
            ("other types", #"{"installationId":{},"platform":[],"pushChannel":7,"tags":"a","templates":[1]}"#),
            ("a long string", "\"" + String(repeating: "é", count: 40_000) + "\""),
            ("deep elements", String(repeating: "<a>", count: 30_000)),
            ("an entity", "<!DOCTYPE a [<!ENTITY b \"\(String(repeating: "c", count: 999))\">]><a>&b;&b;</a>"),
            (
                "entities of entities",
                #"<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;"><!ENTITY d "&c;&c;">]><a>&d;</a>"#
            ),
            ("an external entity", #"<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>"#),
            ("an unclosed comment", "<!--" + String(repeating: "-", count: 90_000)),
            ("an unclosed section", "<a><![CDATA[" + String(repeating: "]", count: 90_000)),
            ("duplicate attributes", #"<a b="1" b="2"/>"#), ("wrong nesting", "<a><b></a></b>"),
            ("another root", "<NotificationDetails/>"),
            ("many attributes", "<a " + String(repeating: "b='' ", count: 9_000)),
            (
                "entries without content",
                "<feed xmlns='http://www.w3.org/2005/Atom'>" + String(repeating: "<entry/>", count: 9_000) + "</feed>"
            ),
            (
                "an unknown registration",
                "<entry xmlns='http://www.w3.org/2005/Atom'><content><Unknown><Tags>\0</Tags></Unknown></content></entry>"
            ),
            ("characters beyond XML", "<a>&#0;&#xD800;&#x110000;&#99999999999;</a>"), ("blank", "   \n"),
            ("nothing", ""),
            ("a page", "<html><body>Sign in</body></html>"), ("a token", "SharedAccessSignature sr=a&sig=b&se=1&skn=c"),
        ].map { ($0, Array($1.utf8)) } + [
            ("invalid UTF-8", [0x7B, 0x22, 0xFF, 0xC0, 0x80, 0x22, 0x3A, 0x31, 0x7D]),
            ("UTF-16", [0xFF, 0xFE, 0x3C, 0x00, 0x61, 0x00]),
        ]
}
