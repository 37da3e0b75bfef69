package import NotificationHubs

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

/// Answers requests. It is called on the connection's own thread, many at a time, and is not to wait for long itself: what
/// takes time is an ``HTTPAnswer/later(within:ask:otherwise:)``, which ends when the client leaves or the server stops.
package typealias HTTPHandler = @Sendable (HTTPRequest) -> HTTPAnswer

/// What is done about a request.
package enum HTTPAnswer: Sendable {
    /// Sends a response. `Content-Length`, `Connection` and, where it is missing, `Date` are the server's part; that of
    /// HEAD goes without its body.
    case response(HubResponse)
    /// Resets the connection without a word.
    case reset
    /// Holds the request open, and asks every now and then whether there is an answer.
    ///
    /// - Parameters:
    ///   - within: for how long. It ends sooner when the server stops; and if the client leaves, nothing is answered.
    ///   - ask: gives the answer as soon as there is one.
    ///   - otherwise: the answer if time runs out first.
    case later(
        within: Duration, ask: @Sendable () -> HTTPAnswer?, otherwise: @Sendable () -> HTTPAnswer)

    /// Does nothing for a time, and goes on then.
    package static func stall(_ duration: Duration, then: @escaping @Sendable () -> HTTPAnswer) -> HTTPAnswer {
        .later(within: duration, ask: { nil }, otherwise: then)
    }
}

/// What a server puts up with from its clients.
package struct HTTPLimits: Sendable {
    /// Bytes of a request line and its headers, and of the trailers behind a body.
    package var headByteCount = 32 << 10
    /// Headers of a request, and trailers.
    package var headerCount = 100
    /// Bytes of a body.
    package var bodyByteCount = 1 << 20
    /// For how long a connection may be open without a request under way.
    package var idleTime = Duration.seconds(60)
    /// For how long a request line and headers may take, from the first byte to the last.
    package var headTime = Duration.seconds(10)
    /// For how long a body may take.
    package var bodyTime = Duration.seconds(30)
    /// For how long a client may take to read a response.
    package var writeTime = Duration.seconds(30)
    /// For how long a connection that is to be closed waits for the client to see the last response and close it too.
    package var lingerTime = Duration.seconds(2)
    /// Connections at a time. Others wait, and each response closes its connection as long as some do.
    package var connectionCount = 512

    /// The usual limits.
    package init() {}
}
