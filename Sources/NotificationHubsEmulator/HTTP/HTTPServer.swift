package import NotificationHubs

#if canImport(FoundationEssentials)
package import struct FoundationEssentials.Date
#else
package import struct Foundation.Date
#endif

/// An HTTP server: HTTP/1.1, and over TLS also HTTP/2.
///
/// Each connection has its own thread, which handles requests one at a time.
package final class HTTPServer: Sendable {
    private let listener: Listener

    /// Creates a server and starts it.
    ///
    /// - Parameters:
    ///   - address: An IPv4 or IPv6 address of this machine.
    ///   - port: The port to listen on; 0 selects a free port.
    ///   - identity: The certificate for TLS; `nil` for plain HTTP.
    ///   - limits: The limits on clients.
    ///   - now: The clock for the `Date` header.
    ///   - handler: The function that handles requests.
    /// - Throws: ``SocketError`` if the server cannot start, for example because the port is in use.
    package init(
        address: String = "127.0.0.1", port: UInt16 = 0, identity: ServerIdentity? = nil, limits: HTTPLimits = HTTPLimits(),
        now: @escaping @Sendable () -> Date = { Date() }, handler: @escaping HTTPHandler
    ) throws(SocketError) {
        listener = try Listener(address: address, port: port, connectionCount: limits.connectionCount) {
            Self.serve($0, identity, state: $1, limits, now, handler)
        }
    }

    private static func serve(
        _ socket: Socket, _ identity: ServerIdentity?, state: @escaping @Sendable () -> Listener.State,
        _ limits: HTTPLimits, _ now: @escaping @Sendable () -> Date, _ handler: @escaping HTTPHandler
    ) {
        func connection(_ stream: any ByteStream) -> HTTPConnection {
            HTTPConnection(
                socket: socket, stream: stream, state: state, limits: limits, now: now, handler: handler)
        }
        guard let identity else { return connection(socket).serve() }
        do {
            let stream = try TLSConnection(socket, identity, by: .now + limits.headTime)
            if stream.applicationProtocol == .http2, let session = HTTP2Session(limits: limits) {
                try HTTP2Connection(
                    stream: stream, session: session, state: state, limits: limits, now: now, handler: handler
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

/// A function that handles requests.
///
/// The server calls it concurrently, on the threads of the connections. The function must not block for long. To wait, it
/// returns ``HTTPAction/poll(timeout:check:onTimeout:)``, which ends when the client disconnects or the server stops.
package typealias HTTPHandler = @Sendable (HTTPRequest) -> HTTPAction

/// The server's action for a request.
package enum HTTPAction: Sendable {
    /// Sends a response. The server sets `Content-Length`, `Connection` and a missing `Date`, and omits the body for HEAD.
    case respond(HubResponse)
    /// Resets the connection without a response.
    case reset
    /// Keeps the request open and calls a closure repeatedly until it returns an action.
    ///
    /// - Parameters:
    ///   - timeout: The maximum wait. The wait ends early when the server stops or the client disconnects.
    ///   - check: Returns the action, or `nil` to continue waiting.
    ///   - onTimeout: Returns the action at the end of the wait.
    case poll(
        timeout: Duration, check: @Sendable () -> HTTPAction?, onTimeout: @Sendable () -> HTTPAction)

    /// Waits, then performs another action.
    package static func delay(_ duration: Duration, then: @escaping @Sendable () -> HTTPAction) -> HTTPAction {
        .poll(timeout: duration, check: { nil }, onTimeout: then)
    }
}

/// A server's limits on its clients.
package struct HTTPLimits: Sendable {
    /// The maximum size of a request line with its headers, and of trailers, in bytes.
    package var headByteCount = 32 << 10
    /// The maximum number of headers, and of trailers.
    package var headerCount = 100
    /// The maximum size of a body, in bytes.
    package var bodyByteCount = 1 << 20
    /// The maximum time that a connection is open without a request.
    package var idleTime = Duration.seconds(60)
    /// The maximum time to receive a request line and headers, from the first byte to the last.
    package var headTime = Duration.seconds(10)
    /// The maximum time to receive a body.
    package var bodyTime = Duration.seconds(30)
    /// The maximum time to send a response.
    package var writeTime = Duration.seconds(30)
    /// The maximum time to wait for the client to close the connection after the last response.
    package var lingerTime = Duration.seconds(2)
    /// The maximum number of concurrent connections. While more clients wait, each response closes its connection.
    package var connectionCount = 512

    /// Creates the default limits.
    package init() {}
}
