package import HubServer
package import NotificationHubsTesting

extension RawServer {
    /// Starts a server.
    ///
    /// - Parameters:
    ///   - tls: The identity for TLS; `nil` for plain TCP.
    ///   - response: Returns the text to send for a request; `nil` closes the connection without a response.
    package init(tls: ServerIdentity? = nil, _ response: @escaping @Sendable (HTTPRequest) -> String?) throws {
        try self.init(tls: tls, steps: { [response($0).map { Step.send($0) } ?? .close] })
    }

    /// Starts a server that uses TLS if `tls` is not `nil`.
    package init(
        greeting: [Step] = [], tls: ServerIdentity?,
        reading: (@Sendable (PartialRequest) -> [Step])? = nil, steps: @escaping @Sendable (HTTPRequest) -> [Step]
    ) throws {
        let secure = tls.map { identity -> Secure in { try TLSConnection($0, identity) } }
        try self.init(greeting: greeting, secure: secure, reading: reading, steps: steps)
    }
}
