import NotificationHubs

/// Makes requests of the bytes of a connection (RFC 9112). It does no input itself.
///
/// What could be understood in two ways is refused: bare line feeds, folded headers, white space before a colon, a second
/// `Content-Length`. Transfer codings are not read.
struct HTTPRequestParser {
    static let maximumHeadByteCount = 32 << 10
    static let maximumBodyByteCount = 1 << 20

    private var buffer: [UInt8] = []

    /// Takes in what the connection has brought.
    mutating func append(_ bytes: [UInt8]) {
        buffer += bytes
    }

    /// The next whole request, or `nil` as long as bytes of it are missing.
    mutating func next() throws(HTTPRequestError) -> HTTPRequest? {
        let headEnd = Array("\r\n\r\n".utf8)
        guard let end = buffer.firstRange(of: headEnd), end.lowerBound <= Self.maximumHeadByteCount else {
            guard buffer.count <= Self.maximumHeadByteCount else {
                throw HTTPRequestError(status: 431, reason: "the request's head is too long")
            }
            return nil
        }
        var (request, bodyByteCount) = try Self.head(buffer[..<end.lowerBound])
        guard buffer.count - end.upperBound >= bodyByteCount else { return nil }
        request.body = Array(buffer[end.upperBound...].prefix(bodyByteCount))
        buffer.removeFirst(end.upperBound + bodyByteCount)
        return request
    }

    private static func head(
        _ bytes: ArraySlice<UInt8>
    ) throws(HTTPRequestError) -> (request: HTTPRequest, bodyByteCount: Int) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw bad("the request's head is not UTF-8") }
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[0].utf8.allSatisfy(\.isTokenByte), !words[0].isEmpty, words[1].hasPrefix("/"),
            words[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else {
            throw bad("the request line is not METHOD PATH HTTP/1.1")
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw HTTPRequestError(status: 505, reason: "only HTTP/1.1 is spoken here")
        }

        var headers = HubHeaders()
        for line in lines {
            let (name, value) = try field(line)
            if let earlier = headers[name] {
                guard !["host", "content-length", "authorization"].contains(name.lowercased()) else {
                    throw bad("the header \(name) is there twice")
                }
                headers[name] = earlier + ", " + value
            } else {
                headers[name] = value
            }
        }
        guard headers["Host"] != nil || words[2] == "HTTP/1.0" else { throw bad("the header Host is missing") }
        guard headers["Transfer-Encoding"] == nil else {
            throw HTTPRequestError(status: 501, reason: "a body comes with a Content-Length here")
        }
        let connection = headers["Connection"]?.lowercased() ?? ""
        let request = HTTPRequest(
            method: String(words[0]), target: String(words[1]), headers: headers, body: [],
            keepsAlive: words[2] == "HTTP/1.1" && !connection.contains("close"))
        return (request, try bodyByteCount(headers))
    }

    private static func field(_ line: Substring) throws(HTTPRequestError) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: ":"), line.startIndex < colon,
            line[..<colon].utf8.allSatisfy(\.isTokenByte)
        else {
            throw bad("a header is not NAME: VALUE")
        }
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var value = line[line.index(after: colon)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
            throw bad("a control character is in the header \(line[..<colon])")
        }
        return (String(line[..<colon]), String(value))
    }

    private static func bodyByteCount(_ headers: HubHeaders) throws(HTTPRequestError) -> Int {
        guard let text = headers["Content-Length"] else { return 0 }
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw bad("Content-Length is no number")
        }
        guard let count = Int(text), count <= maximumBodyByteCount else {
            throw HTTPRequestError(status: 413, reason: "the body is longer than \(maximumBodyByteCount) bytes")
        }
        return count
    }

    private static func bad(_ reason: String) -> HTTPRequestError {
        HTTPRequestError(status: 400, reason: reason)
    }
}

extension UInt8 {
    /// A character of a token (RFC 9110 §5.6.2).
    fileprivate var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
