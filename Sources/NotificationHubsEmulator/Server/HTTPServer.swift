#if canImport(FoundationEssentials)
package import struct FoundationEssentials.Date
#else
package import struct Foundation.Date
#endif

/// Serves HTTP/1.1 on a port.
///
/// Requests of a connection are answered one after the other, on a thread of its own.
package final class HTTPServer: Sendable {
    private let listener: Listener

    /// Starts to serve.
    ///
    /// - Parameters:
    ///   - address: an address of this machine, IPv4 or IPv6, as a literal.
    ///   - port: 0 lets the system choose.
    ///   - now: the time, for the header `Date`.
    ///   - handler: answers the requests.
    /// - Throws: ``SocketError``, if the port is in use for one.
    package init(
        address: String = "127.0.0.1", port: UInt16 = 0, limits: HTTPLimits = HTTPLimits(),
        now: @escaping @Sendable () -> Date = { Date() }, handler: @escaping HTTPHandler
    ) throws(SocketError) {
        listener = try Listener(address: address, port: port, connectionCount: limits.connectionCount) {
            HTTPConnection(socket: $0, state: $1, limits: limits, now: now, handler: handler).serve()
        }
    }

    /// The port that is listened on.
    package var port: UInt16 { listener.port }

    /// Stops: no connection is taken any more, requests under way are answered, everything is closed, and all threads
    /// have ended. A second call does nothing.
    ///
    /// - Parameter duration: after what time connections are closed that are not done yet.
    package func stop(within duration: Duration = .seconds(5)) {
        listener.stop(within: duration)
    }
}
