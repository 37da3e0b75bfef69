package import NotificationHubs

/// Makes requests of the bytes of a connection (RFC 9112). It does no input itself, and how the bytes are cut into pieces
/// makes no difference.
///
/// What could be understood in two ways is refused: bare line feeds, folded headers, white space before a colon, a second
/// `Content-Length`, one beside `Transfer-Encoding`. Nothing can be read behind what was refused.
package struct HTTPRequestParser {
    /// What has come in of the next request.
    package enum Progress: Sendable {
        case nothing
        case head
        case body
    }

    private let limits: HTTPLimits
    private var input = HTTPInput()
    private var head = HTTPHead()
    /// The request whose body has not all come in yet.
    private var request: HTTPRequest?
    private var body: HTTPBody?

    /// A parser that has seen nothing yet.
    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// Takes in what the connection has brought.
    package mutating func append(_ bytes: [UInt8]) {
        input.append(bytes)
    }

    /// How many bytes it has not looked at yet.
    var waitingByteCount: Int { input.count }

    /// How far it has come, once ``next()`` has given all it could.
    package var progress: Progress {
        if request != nil { return .body }
        return head.isEmpty && input.count == 0 ? .nothing : .head
    }

    /// Whether the client waits for a word before it sends a body (RFC 9110 §10.1.1). Says so once a request.
    package mutating func expectsContinue() -> Bool {
        guard request?.headers["Expect"] != nil else { return false }
        request?.headers["Expect"] = nil
        return true
    }

    /// The next whole request, or `nil` as long as bytes of it are missing.
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

/// A request as it stands on the wire.
package struct HTTPRequest: Sendable {
    /// The method, as it is written.
    package var method: String
    /// Path and query, percent-encoded; or `*`, of OPTIONS alone. A target with scheme and host is shortened to these, and
    /// its host stands in the header `Host`.
    package var target: String
    /// The headers, without `Transfer-Encoding`: the body is decoded.
    package var headers: HubHeaders
    /// The body.
    package var body: [UInt8]
    /// Whether the client wants to send more on this connection.
    package var keepsAlive: Bool

    /// What stands before the question mark.
    package var path: String { String(target.prefix { $0 != "?" }) }
    /// What stands behind it.
    package var query: String { String(target.drop { $0 != "?" }.dropFirst()) }
}

/// Why bytes are no request, or none that is served; the connection is closed after it.
package struct HTTPRequestError: Error, Hashable {
    /// The status of the response.
    package let status: Int
    /// What is wrong, in words. It shows no header's value.
    package let reason: String

    /// What is no HTTP/1.1, or could be understood in two ways.
    static func malformed(_ reason: String) -> Self { Self(status: 400, reason: reason) }
}
