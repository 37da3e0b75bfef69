/// A notification's outcomes, asked for again and again.
///
/// Each answer is an element. The sequence ends behind a terminal state (``PushNotification/Outcome/State/isTerminal``), and
/// when its time is over; so the last element tells which it was. While there is nothing to be said yet, and the service
/// answers 404, there is no element. Any other failure is thrown, and a cancellation at once, also from a wait.
public struct OutcomeSequence: AsyncSequence, Sendable {
    /// The shortest wait between two questions; a shorter one is made this long, so that nobody asks without a pause.
    public static let minimumInterval = Poll<PushNotification.Outcome>.minimumInterval

    private let poll: Poll<PushNotification.Outcome>

    init(
        interval: Duration, duration: Duration, clock: some Clock<Duration>,
        ask: @escaping @Sendable () async throws -> PushNotification.Outcome
    ) {
        poll = Poll(every: interval, for: duration, clock: clock, until: { $0.state?.isTerminal ?? false }) {
            do {
                return try await ask()
            } catch let error as HubError where error.code == .notFound {
                return nil
            }
        }
    }

    /// Begins to ask.
    public func makeAsyncIterator() -> Iterator {
        Iterator(poll: poll)
    }

    /// Asks for one outcome after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var poll: Poll<PushNotification.Outcome>

        /// The next outcome; `nil` at the end.
        ///
        /// - Throws: ``HubError``; `CancellationError` once the task is cancelled.
        public mutating func next() async throws -> PushNotification.Outcome? {
            try await poll.next()
        }
    }
}
