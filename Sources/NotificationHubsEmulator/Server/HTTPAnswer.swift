package import NotificationHubs

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
