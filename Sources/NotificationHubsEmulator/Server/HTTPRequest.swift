package import NotificationHubs

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
