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
    /// The limit that replaces each longer time limit while all connections are in use and more clients wait.
    package var contendedTime = Duration.seconds(1)
    /// The limit on the frames of an HTTP/2 client.
    package var frames = HTTP2FrameLimit()

    /// Creates the default limits.
    package init() {}

    /// Returns the deadline of a wait for a client.
    func deadline(
        _ limit: Duration, since start: ContinuousClock.Instant = .now,
        _ state: Listener.Status
    ) -> PeerDeadline {
        PeerDeadline(limit, since: start, whenFull: contendedTime, state)
    }
}

/// The limit on the frames that an HTTP/2 client sends without sending requests: floods of control frames, of empty or padded
/// DATA, and of requests that are reset.
package struct HTTP2FrameLimit: Sendable {
    /// The number of frames per second, and the largest number at once.
    package var perSecond = 1000
    /// The number of further frames for each request whose response was sent.
    package var perRequest = 8
    /// The number of bytes of a request's body that add one frame.
    package var bodyBytesPerFrame = 256
}
