import NotificationHubs

/// Makes requests of the bytes of a connection (RFC 9112). It does no input itself.
///
/// What could be understood in two ways is refused: bare line feeds, folded headers, white space before a colon, a second
/// `Content-Length`. Transfer codings are not read.
package struct HTTPRequestParser {
    static let maximumHeadByteCount = 32 << 10
    static let maximumBodyByteCount = 1 << 20
    static let maximumHeaderCount = 100

    private var buffer: [UInt8] = []
    /// The head of a request whose body has not all come in yet.
    private var pending: (request: HTTPRequest, bodyByteCount: Int)?

    /// A parser that has seen nothing yet.
    package init() {}

    /// Takes in what the connection has brought.
    package mutating func append(_ bytes: [UInt8]) {
        buffer += bytes
    }

    /// Whether the client waits for a word before it sends a body (RFC 9110 §10.1.1). Says so once a request.
    package mutating func expectsContinue() -> Bool {
        guard pending?.request.headers["Expect"]?.lowercased() == "100-continue" else { return false }
        pending?.request.headers["Expect"] = nil
        return true
    }

    /// The next whole request, or `nil` as long as bytes of it are missing.
    package mutating func next() throws(HTTPRequestError) -> HTTPRequest? {
        if pending == nil {
            guard let end = try endOfHead() else { return nil }
            pending = try Self.head(buffer[..<end.lowerBound])
            buffer.removeFirst(end.upperBound)
        }
        guard let (head, bodyByteCount) = pending, buffer.count >= bodyByteCount else { return nil }
        var request = head
        request.body = Array(buffer.prefix(bodyByteCount))
        buffer.removeFirst(bodyByteCount)
        pending = nil
        return request
    }

    private func endOfHead() throws(HTTPRequestError) -> Range<Int>? {
        let searched = buffer.prefix(Self.maximumHeadByteCount + 4)
        if let end = searched.firstRange(of: Array("\r\n\r\n".utf8)) { return end }
        guard buffer.count <= Self.maximumHeadByteCount else {
            throw HTTPRequestError(status: 431, reason: "the request's head is too long")
        }
        return nil
    }

    private static func head(
        _ bytes: ArraySlice<UInt8>
    ) throws(HTTPRequestError) -> (request: HTTPRequest, bodyByteCount: Int) {
        guard let text = String(strictUTF8: bytes) else { throw bad("the request's head is not UTF-8") }
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, HubHeaders.isName(words[0]), words[1].hasPrefix("/"),
            words[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else {
            throw bad("the request line is not METHOD PATH HTTP/1.1")
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw HTTPRequestError(status: 505, reason: "only HTTP/1.1 is spoken here")
        }
        guard lines.count <= maximumHeaderCount else {
            throw HTTPRequestError(status: 431, reason: "there are more than \(maximumHeaderCount) headers")
        }

        var fields: [(name: String, value: String)] = []
        for line in lines { fields.append(try field(line)) }
        for name in ["host", "content-length", "authorization"] {
            guard fields.count(where: { $0.name.lowercased() == name }) <= 1 else {
                throw bad("the header \(name) is there twice")
            }
        }
        let headers = HubHeaders(received: fields)
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
        guard let colon = line.firstIndex(of: ":"), HubHeaders.isName(line[..<colon]) else {
            throw bad("a header is not NAME: VALUE")
        }
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var value = line[line.index(after: colon)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        guard HubHeaders.isValue(value) else {
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
