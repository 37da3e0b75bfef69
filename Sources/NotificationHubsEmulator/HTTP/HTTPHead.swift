import HubText
import NotificationHubs

/// Reads a request's line and headers (RFC 9112 §3 and §5).
struct HTTPHead {
    private var requestLine: HTTPRequestLine?
    private var lines = HTTPFieldLines()
    private var hasBlankLine = false

    /// Whether there is anything of it yet.
    var isEmpty: Bool { requestLine == nil }

    /// The request without its body, and how that is written; `nil` as long as lines are missing.
    mutating func read(
        _ input: inout HTTPInput, _ limits: HTTPLimits
    ) throws(HTTPRequestError) -> (request: HTTPRequest, body: HTTPBody)? {
        while true {
            if requestLine == nil, let byte = input.first, !Self.mayBegin(with: byte) {
                throw .malformed("a request begins with its method")
            }
            guard let line = try lines.line(&input, limits) else { return nil }
            guard let requestLine else {
                // An old client's line end behind its body (RFC 9112 §2.2).
                if line.isEmpty, !hasBlankLine {
                    hasBlankLine = true
                } else {
                    requestLine = try HTTPRequestLine(line)
                }
                continue
            }
            guard line.isEmpty else {
                try lines.append(line, limits)
                continue
            }
            return try request(requestLine, limits)
        }
    }

    /// Whether it can be the first byte, of a method or an empty line. That of TLS is not: its client would wait for an answer as
    /// long as the head may take.
    private static func mayBegin(with byte: UInt8) -> Bool {
        [0x0d, 0x0a].contains(byte) || HubHeaders.isName(String(decoding: [byte], as: UTF8.self))
    }

    private func request(
        _ line: HTTPRequestLine, _ limits: HTTPLimits
    ) throws(HTTPRequestError) -> (request: HTTPRequest, body: HTTPBody) {
        for name in ["host", "content-length", "transfer-encoding", "content-type", "authorization", "expect"] {
            guard lines.fields.count(where: { $0.name.utf8.isWord(name) }) <= 1 else {
                throw .malformed("the header \(name) is there twice")
            }
        }
        var headers = HubHeaders(lines.fields)
        guard headers["Host"].map(HTTPRequestLine.isAuthority) ?? !line.isHTTP11 else {
            throw .malformed("the header Host is missing, or no host and port")
        }
        if let authority = line.authority { headers["Host"] = authority }
        if !line.isHTTP11 { headers["Expect"] = nil }
        guard headers["Expect"]?.utf8.isWord("100-continue") ?? true else {
            throw HTTPRequestError(status: 417, reason: "nothing can be expected but 100-continue")
        }
        let body = try HTTPBody(headers, isHTTP11: line.isHTTP11, limits)
        headers["Transfer-Encoding"] = nil
        let options = (headers["Connection"] ?? "").utf8.split { ", \t".utf8.contains($0) }
        let request = HTTPRequest(
            method: line.method, target: line.target, headers: headers, body: [],
            keepsAlive: line.isHTTP11 && !options.contains { $0.isWord("close") })
        return (request, body)
    }
}

/// A request's first line.
struct HTTPRequestLine {
    let method: String
    let target: String
    /// Host and port, if they stand in the line.
    let authority: String?
    /// Or the version before it, which has no 100 Continue and no chunks, and closes after each request.
    let isHTTP11: Bool

    init(_ line: ArraySlice<UInt8>) throws(HTTPRequestError) {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, let method = String(strictUTF8: words[0]), HubHeaders.isName(method),
            let target = String(strictUTF8: words[1]), let version = String(strictUTF8: words[2]),
            version.utf8.starts(with: "HTTP/".utf8)
        else { throw .malformed("the request line is not METHOD PATH HTTP/1.1") }
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw HTTPRequestError(status: 505, reason: "only HTTP/1.1 is spoken here")
        }
        isHTTP11 = version == "HTTP/1.1"
        self.method = method

        // A fragment is no part of a target.
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else {
            throw .malformed("the target is not ASCII, percent-encoded")
        }
        if target.utf8.first == UInt8(ascii: "/") || target == "*" && method == "OPTIONS" {
            self.target = target
            authority = nil
            return
        }
        let scheme = ["http://", "https://"].first { target.lowercased().hasPrefix($0) }
        let rest = target.utf8.dropFirst(scheme?.utf8.count ?? 0)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        let authority = String(decoding: rest[..<end], as: UTF8.self)
        guard scheme != nil, !authority.isEmpty, Self.isAuthority(authority) else {
            throw .malformed("the target is neither a path nor a URL")
        }
        let path = String(decoding: rest[end...], as: UTF8.self)
        self.target = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        self.authority = authority
    }

    /// Whether a text is nothing but a host and a port, as far as letters show.
    static func isAuthority(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._~%:[]".utf8.contains($0) }
    }
}

extension Collection<UInt8> {
    /// Whether it is a word of the protocol's, given in small letters. (Unicode would take the Kelvin sign for a k.)
    func isWord(_ word: String) -> Bool {
        count == word.utf8.count && zip(self, word.utf8).allSatisfy { $0.asciiLowercased == $1 }
    }
}
