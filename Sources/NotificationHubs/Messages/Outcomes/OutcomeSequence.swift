/// A notification's outcomes, asked for again and again.
///
/// Each answer is an element. The sequence ends behind a terminal state (``PushNotification/Outcome/State/isTerminal``), and
/// when its time is over; so the last element tells which it was. While there is nothing to be said yet, and the service
/// answers 404, there is no element. Any other failure is thrown, and a cancellation at once, also from a wait.
public struct OutcomeSequence: AsyncSequence, Sendable {
    /// The shortest wait between two questions; a shorter one is made this long, so that nobody asks without a pause.
    public static let minimumInterval = Duration.seconds(1)

    private let makeSteps: @Sendable () -> Steps

    init(
        interval: Duration, duration: Duration, clock: some Clock<Duration>,
        ask: @escaping @Sendable () async throws -> PushNotification.Outcome
    ) {
        makeSteps = {
            let start = clock.now
            return Steps(
                interval: Swift.max(interval, Self.minimumInterval), duration: duration,
                elapsed: { start.duration(to: clock.now) },
                sleep: { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }, ask: ask)
        }
    }

    /// What the iterator lives on: a clock and a question.
    fileprivate struct Steps: Sendable {
        let interval: Duration
        let duration: Duration
        let elapsed: @Sendable () -> Duration
        let sleep: @Sendable (Duration) async throws -> Void
        let ask: @Sendable () async throws -> PushNotification.Outcome
    }

    /// Begins to ask.
    public func makeAsyncIterator() -> Iterator {
        Iterator(makeSteps: makeSteps)
    }

    /// Asks for one outcome after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let makeSteps: @Sendable () -> Steps
        private var steps: Steps?
        private var isAtEnd = false

        fileprivate init(makeSteps: @escaping @Sendable () -> Steps) {
            self.makeSteps = makeSteps
        }

        /// The next outcome; `nil` at the end.
        ///
        /// - Throws: ``HubError``; `CancellationError` once the task is cancelled.
        public mutating func next() async throws -> PushNotification.Outcome? {
            guard !isAtEnd else { return nil }
            do {
                while true {
                    try Task.checkCancellation()
                    if let steps {
                        // No wait ends behind the deadline, and none is begun for a question that would come too late.
                        guard steps.elapsed() + steps.interval < steps.duration else { break }
                        try await steps.sleep(steps.interval)
                    }
                    let steps = steps ?? makeSteps()
                    self.steps = steps
                    if let outcome = try await Self.answer(steps) {
                        isAtEnd = outcome.state?.isTerminal ?? false
                        return outcome
                    }
                }
            } catch {
                isAtEnd = true
                throw error
            }
            isAtEnd = true
            return nil
        }

        /// - Returns: `nil` if there is nothing to be said yet.
        private static func answer(_ steps: Steps) async throws -> PushNotification.Outcome? {
            do {
                return try await steps.ask()
            } catch let error as HubError where error.code == .notFound {
                return nil
            }
        }
    }
}
