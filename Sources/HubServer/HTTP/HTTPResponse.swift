package import HubText

/// A response of the server, before it is framed for a version of HTTP.
package struct HTTPResponse: Sendable {
    package var status: Int
    /// The reason phrase of HTTP/1.1; `nil` for that of the status.
    package var reason: String?
    package var headers: HTTPFields
    package var body: [UInt8]

    package init(status: Int, reason: String? = nil, headers: HTTPFields = [:], body: [UInt8] = []) {
        (self.status, self.reason, self.headers, self.body) = (status, reason, headers, body)
    }
}
