import HubText

/// A parser for the request line and headers (RFC 9112 §3 and §5).
struct HTTPHead {
    private var requestLine: HTTPRequestLine?
    private var lines = HTTPFieldLines()
    private var hasBlankLine = false

    /// Whether no request line has been read.
    var isEmpty: Bool { requestLine == nil }

    /// Consumes available input and returns the request with a parser for its body, or `nil` if the head is incomplete.
    mutating func read(
        _ input: inout HTTPInput, _ limits: HTTPLimits
    ) throws(HTTPRequestError) -> (request: HTTPRequest, body: HTTPBody)? {
        while true {
            if requestLine == nil, let byte = input.first, !Self.isFirstByte(byte) {
                throw .malformed("invalid request: expected a method")
            }
            guard let line = try lines.line(&input, limits) else { return nil }
            guard let requestLine else {
                // Old clients send a line end after a body (RFC 9112 §2.2).
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

    /// Returns whether a request can start with the byte: a method or an empty line.
    ///
    /// This rejects TLS immediately. A TLS client would otherwise wait until the head's time limit.
    private static func isFirstByte(_ byte: UInt8) -> Bool {
        [0x0d, 0x0a].contains(byte) || HTTPFields.isName(String(decoding: [byte], as: UTF8.self))
    }

    private func request(
        _ line: HTTPRequestLine, _ limits: HTTPLimits
    ) throws(HTTPRequestError) -> (request: HTTPRequest, body: HTTPBody) {
        for name in ["host", "content-length", "transfer-encoding", "content-type", "authorization", "expect"] {
            guard lines.fields.count(where: { $0.name.utf8.isEqual(ignoringCase: name) }) <= 1 else {
                throw .malformed("duplicate header \(name)")
            }
        }
        var headers = HTTPFields(lines.fields)
        guard headers["Host"].map(HTTPRequestLine.isAuthority) ?? !line.isHTTP11 else {
            throw .malformed("missing or invalid Host header")
        }
        if let authority = line.authority { headers["Host"] = authority }
        if !line.isHTTP11 { headers["Expect"] = nil }
        guard headers["Expect"]?.utf8.isEqual(ignoringCase: "100-continue") ?? true else {
            throw HTTPRequestError(status: 417, reason: "unsupported Expect header: expected 100-continue")
        }
        let body = try HTTPBody(headers, isHTTP11: line.isHTTP11, limits)
        headers["Transfer-Encoding"] = nil
        let options = (headers["Connection"] ?? "").utf8.split { ", \t".utf8.contains($0) }
        let request = HTTPRequest(
            method: line.method, target: line.target, headers: headers, body: [],
            keepsAlive: line.isHTTP11 && !options.contains { $0.isEqual(ignoringCase: "close") })
        return (request, body)
    }
}

/// A request's first line.
struct HTTPRequestLine {
    let method: String
    let target: String
    /// The host and port, if the target is a URL.
    let authority: String?
    /// Whether the version is HTTP/1.1. HTTP/1.0 has no `100 Continue` and no chunks, and closes after each request.
    let isHTTP11: Bool

    init(_ line: ArraySlice<UInt8>) throws(HTTPRequestError) {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, let method = String(strictUTF8: words[0]), HTTPFields.isName(method),
            let target = String(strictUTF8: words[1]), let version = String(strictUTF8: words[2]),
            version.utf8.starts(with: "HTTP/".utf8)
        else { throw .malformed("invalid request line: expected METHOD PATH HTTP/1.1") }
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw HTTPRequestError(status: 505, reason: "unsupported HTTP version: expected HTTP/1.1")
        }
        isHTTP11 = version == "HTTP/1.1"
        self.method = method

        // A target has no fragment.
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else {
            throw .malformed("invalid target: expected percent-encoded ASCII without a fragment")
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
            throw .malformed("invalid target: expected a path or an HTTP URL")
        }
        let path = String(decoding: rest[end...], as: UTF8.self)
        self.target = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        self.authority = authority
    }

    /// Returns whether a string contains only characters that a host and port can contain.
    static func isAuthority(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-._~%:[]".utf8.contains($0) }
    }
}
