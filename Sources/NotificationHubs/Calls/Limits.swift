import HubLock

/// Lets limits pass, most of which are cancelled long before.
///
/// Not by a `Task.sleep` each: what sleeps keeps its memory until its time is over, also when it is cancelled. One task looks
/// after all of them, as long as there are any.
final class Limits: Sendable {
    /// Those of this process.
    static let shared = Limits()

    /// How much later than at its end a limit may be found to be over.
    private static let pause = Duration.milliseconds(50)

    private struct State {
        var nextNumber = 0
        var waiting: [Int: (end: ContinuousClock.Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var isLookedAfter = false
    }

    private let state = Locked(State())

    /// Waits until a limit is over.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    func pass(_ limit: Duration) async throws {
        let end = ContinuousClock.now + limit
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isFirst: Bool? = state.withLock { state in
                    // A cancellation that comes later than this finds the continuation.
                    if Task.isCancelled { return nil }
                    state.waiting[number] = (end, continuation)
                    defer { state.isLookedAfter = true }
                    return !state.isLookedAfter
                }
                switch isFirst {
                case nil: continuation.resume(throwing: CancellationError())
                case true?: Task { await lookAfter() }
                case false?: break
                }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation
                .resume(throwing: CancellationError())
        }
    }

    private func lookAfter() async {
        while let over = takeOver() {
            for continuation in over { continuation.resume() }
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// - Returns: whose limit is over; `nil` if there is none left to look after.
    private func takeOver() -> [CheckedContinuation<Void, any Error>]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isLookedAfter = false
                return nil
            }
            let now = ContinuousClock.now
            let over = state.waiting.filter { $0.value.end <= now }
            for number in over.keys { state.waiting[number] = nil }
            return over.values.map(\.continuation)
        }
    }
}
