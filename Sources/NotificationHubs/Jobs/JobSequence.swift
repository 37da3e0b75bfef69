/// A job, asked for again and again.
///
/// Each answer is an element. The sequence ends behind a job that has ended (``NotificationHub/Job/Status/isTerminal``), and
/// when its time is over; so the last element tells which it was. A failure is thrown, and a cancellation at once, also from a
/// wait.
public struct JobSequence: AsyncSequence, Sendable {
    /// The shortest wait between two questions; a shorter one is made this long, so that nobody asks without a pause.
    public static let minimumInterval = Poll<NotificationHub.Job>.minimumInterval

    fileprivate let poll: Poll<NotificationHub.Job>

    init(poll: Poll<NotificationHub.Job>) {
        self.poll = poll
    }

    /// Begins to ask.
    public func makeAsyncIterator() -> Iterator {
        Iterator(poll: poll)
    }

    /// Asks for one state after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var poll: Poll<NotificationHub.Job>

        /// The job as it is now; `nil` at the end.
        ///
        /// - Throws: ``HubError``; `CancellationError` once the task is cancelled.
        public mutating func next() async throws -> NotificationHub.Job? {
            try await poll.next()
        }
    }
}
