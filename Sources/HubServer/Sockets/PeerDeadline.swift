/// The time by which a client must send or receive data.
///
/// It is earlier while all connections are in use and other clients wait, so that clients that stall cannot keep others out. Each wait
/// for a client has one: for a handshake, a request, the next request, the client's reading of a response, and its closing.
package struct PeerDeadline: Sendable {
    /// The start of the wait.
    let start: ContinuousClock.Instant
    /// The maximum time to wait.
    let limit: Duration
    /// The maximum time to wait while other clients wait for a connection.
    let contendedLimit: Duration
    let state: Listener.Status

    /// The interval at which a wait without events reads the listener's state.
    static let checkInterval = Duration.seconds(1)

    /// Creates a deadline.
    ///
    /// - Parameter start: The start of the wait, which does not restart with each received byte; otherwise, a slow client could hold
    ///   the connection forever.
    init(
        _ limit: Duration, since start: ContinuousClock.Instant = .now, whenFull contendedLimit: Duration,
        _ state: Listener.Status
    ) {
        (self.start, self.limit, self.contendedLimit, self.state) = (start, limit, contendedLimit, state)
    }

    /// The end of the wait in the listener's current state.
    var time: ContinuousClock.Instant {
        start + (state() == .full ? min(limit, contendedLimit) : limit)
    }

    /// Returns a deadline for a wait that starts now.
    func restarted(_ limit: Duration) -> Self {
        Self(limit, whenFull: contendedLimit, state)
    }
}
