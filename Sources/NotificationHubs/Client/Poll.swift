/// Asks again and again, with waits between, until nothing will change any more or the time is over.
struct Poll<Element: Sendable>: Sendable {
    /// The shortest wait between two questions; a shorter one is made this long, so that nobody asks without a pause.
    static var minimumInterval: Duration { .seconds(1) }

    private let makeSteps: @Sendable () -> Steps
    private let isLast: @Sendable (Element) -> Bool
    private var steps: Steps?
    private var isAtEnd = false

    /// - Parameter ask: returns `nil` if there is nothing to be said yet.
    init(
        every interval: Duration, for duration: Duration, clock: some Clock<Duration>,
        until isLast: @escaping @Sendable (Element) -> Bool, ask: @escaping @Sendable () async throws -> Element?
    ) {
        self.isLast = isLast
        makeSteps = {
            let start = clock.now
            return Steps(
                interval: max(interval, Self.minimumInterval), duration: duration,
                elapsed: { start.duration(to: clock.now) },
                sleep: { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }, ask: ask)
        }
    }

    /// What it lives on: a clock and a question.
    private struct Steps: Sendable {
        let interval: Duration
        let duration: Duration
        let elapsed: @Sendable () -> Duration
        let sleep: @Sendable (Duration) async throws -> Void
        let ask: @Sendable () async throws -> Element?
    }

    /// The next answer; `nil` at the end.
    mutating func next() async throws -> Element? {
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
                if let answer = try await steps.ask() {
                    isAtEnd = isLast(answer)
                    return answer
                }
            }
        } catch {
            isAtEnd = true
            throw error
        }
        isAtEnd = true
        return nil
    }
}
