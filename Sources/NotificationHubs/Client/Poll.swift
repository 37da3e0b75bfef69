/// A loop that requests a value at intervals until the value is final or the timeout expires.
struct Poll<Element: Sendable>: Sendable {
    /// The shortest time between requests. Shorter intervals are increased to it.
    static var minimumInterval: Duration { .seconds(1) }

    private let makeRun: @Sendable () -> Run
    private let isLast: @Sendable (Element) -> Bool
    private var run: Run?
    private var isAtEnd = false

    /// - Parameters:
    ///   - interval: The time from a response to the next request.
    ///   - timeout: The time after which the loop ends, counted from the first request.
    ///   - isLast: A closure that returns whether an element is final.
    ///   - fetch: A closure that requests the value. It returns `nil` while there is no value.
    init(
        every interval: Duration, timeout: Duration, clock: some Clock<Duration>,
        until isLast: @escaping @Sendable (Element) -> Bool, fetch: @escaping @Sendable () async throws -> Element?
    ) {
        self.isLast = isLast
        makeRun = {
            let start = clock.now
            return Run(
                interval: max(interval, Self.minimumInterval), timeout: timeout,
                elapsed: { start.duration(to: clock.now) },
                sleep: { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }, fetch: fetch)
        }
    }

    /// The state of a loop that has started. Erases the clock's type.
    private struct Run: Sendable {
        let interval: Duration
        let timeout: Duration
        let elapsed: @Sendable () -> Duration
        let sleep: @Sendable (Duration) async throws -> Void
        let fetch: @Sendable () async throws -> Element?
    }

    /// Returns the next value, or `nil` at the end.
    mutating func next() async throws -> Element? {
        guard !isAtEnd else { return nil }
        do {
            while true {
                try Task.checkCancellation()
                if let run {
                    // Do not wait for a request that would start after the timeout.
                    guard run.elapsed() + run.interval < run.timeout else { break }
                    try await run.sleep(run.interval)
                }
                let run = run ?? makeRun()
                self.run = run
                if let value = try await run.fetch() {
                    isAtEnd = isLast(value)
                    return value
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
