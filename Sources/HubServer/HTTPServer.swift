/// An HTTP server: HTTP/1.1, and over TLS also HTTP/2.
///
/// Each connection has its own thread, which handles requests one at a time.
package final class HTTPServer: Sendable {
    private let listener: Listener

    /// Creates a server and starts it.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - identity: The certificate for TLS; `nil` for plain HTTP.
    ///   - limits: The limits on clients.
    ///   - handler: The function that handles requests.
    /// - Throws: ``SocketError`` if the server cannot start.
    package init(
        on port: ListeningPort, identity: ServerIdentity? = nil,
        limits: HTTPLimits = HTTPLimits(), handler: @escaping HTTPHandler
    ) throws(SocketError) {
        listener = try Listener(on: port, connectionCount: limits.connectionCount) {
            Self.serve($0, identity, state: $1, limits, handler)
        }
    }

    private static func serve(
        _ socket: Socket, _ identity: ServerIdentity?, state: Listener.Status,
        _ limits: HTTPLimits, _ handler: @escaping HTTPHandler
    ) {
        func connection(_ stream: any ByteStream) -> HTTPConnection {
            HTTPConnection(
                socket: socket, stream: stream, isSecure: identity != nil, state: state, limits: limits,
                handler: handler)
        }
        guard let identity else { return connection(socket).serve() }
        do {
            let stream = try TLSConnection(socket, identity, by: limits.deadline(limits.headTime, state))
            if stream.applicationProtocol == .http2, let session = HTTP2Session(limits: limits) {
                try HTTP2Connection(
                    stream: stream, session: session, state: state, limits: limits, handler: handler
                ).serve()
                connection(stream).close()
            } else {
                connection(stream).serve()
            }
        } catch is TLSConnection.NotTLS {
            connection(socket).reject(
                HTTPRequestError(status: 400, reason: "this port requires TLS: use https:// instead of http://"))
        } catch {
            // The client can no longer receive a response.
        }
    }

    /// The port that the server listens on.
    package var port: UInt16 { listener.port }

    /// Stops the server: closes the port, completes requests in flight, closes all connections, and waits for their threads.
    ///
    /// Further calls have no effect.
    ///
    /// - Parameter duration: The time after which connections with requests in flight are closed.
    package func stop(within duration: Duration = .seconds(5)) {
        listener.stop(within: duration)
    }
}
