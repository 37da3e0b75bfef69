package import HubText

/// An incremental HTTP/1.1 request parser (RFC 9112).
///
/// The parser performs no I/O, and its result does not depend on how the input is split. It rejects ambiguous input: bare
/// line feeds, folded headers, whitespace before a colon, a duplicate `Content-Length`, and `Content-Length` together with
/// `Transfer-Encoding`. After an error, the parser cannot continue.
package struct HTTPRequestParser {
    /// The received part of the next request.
    package enum Progress: Sendable {
        case nothing
        case head
        case body
    }

    private let limits: HTTPLimits
    private var input = HTTPInput()
    private var head = HTTPHead()
    /// The request whose body is incomplete.
    private var request: HTTPRequest?
    private var body: HTTPBody?

    /// Creates a parser without input.
    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// Appends received bytes to the input.
    package mutating func append(_ bytes: [UInt8]) {
        input.append(bytes)
    }

    /// The number of unparsed bytes.
    var bufferedByteCount: Int { input.count }

    /// The received part of the next request. Valid after ``next()`` has returned `nil`.
    package var progress: Progress {
        if request != nil { return .body }
        return head.isEmpty && input.count == 0 ? .nothing : .head
    }

    /// Returns whether the client waits for `100 Continue` (RFC 9110 §10.1.1). Returns `true` at most once per request.
    package mutating func expectsContinue() -> Bool {
        guard request?.headers["Expect"] != nil else { return false }
        request?.headers["Expect"] = nil
        return true
    }

    /// Returns the next complete request, or `nil` if more input is needed.
    package mutating func next() throws(HTTPRequestError) -> HTTPRequest? {
        if request == nil {
            guard let (request, body) = try head.read(&input, limits) else { return nil }
            (self.request, self.body, head) = (request, body, HTTPHead())
        }
        guard try body?.read(&input, limits) == true, var request else { return nil }
        request.body = body?.bytes ?? []
        (self.request, body) = (nil, nil)
        return request
    }
}

/// A parsed HTTP request.
package struct HTTPRequest: Sendable {
    /// The method, with its original case.
    package var method: String
    /// The percent-encoded path and query, or `*` for OPTIONS. The scheme and host of an absolute URL are removed, and the
    /// host replaces the `Host` header.
    package var target: String
    /// The headers, without `Transfer-Encoding`, because the body is decoded.
    package var headers: HTTPFields
    /// The decoded body.
    package var body: [UInt8]
    /// Whether the client keeps the connection open.
    package var keepsAlive: Bool
    /// Whether the request arrived over TLS.
    package var isSecure = false

    package init(method: String, target: String, headers: HTTPFields, body: [UInt8], keepsAlive: Bool) {
        (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
        self.keepsAlive = keepsAlive
    }

    /// The part of the target before the question mark.
    package var path: String { String(target.prefix { $0 != "?" }) }
    /// The part of the target after the question mark.
    package var query: String { String(target.drop { $0 != "?" }.dropFirst()) }
}

/// An error for an invalid, incomplete or unsupported request. The server responds with the status and closes the connection.
package struct HTTPRequestError: Error, Hashable {
    /// The status of the response.
    package let status: Int
    /// The problem, in one line. It contains no header value.
    package let reason: String

    /// Returns an error for input that is not HTTP/1.1 or is ambiguous.
    static func malformed(_ reason: String) -> Self { Self(status: 400, reason: reason) }
}
