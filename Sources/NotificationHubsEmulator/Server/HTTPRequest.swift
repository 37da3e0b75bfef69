import NotificationHubs

/// A request as it stands on the wire.
struct HTTPRequest: Sendable {
    var method: String
    /// Path and query, percent-encoded.
    var target: String
    var headers: HubHeaders
    var body: [UInt8]
    /// Whether the client wants to send more on this connection.
    var keepsAlive: Bool

    var path: String { String(target.prefix { $0 != "?" }) }
    var query: String { String(target.drop { $0 != "?" }.dropFirst()) }
}

/// Why bytes are no request, or none that is served; the connection is closed after it.
struct HTTPRequestError: Error, Hashable {
    /// The status of the response.
    let status: Int
    let reason: String
}
