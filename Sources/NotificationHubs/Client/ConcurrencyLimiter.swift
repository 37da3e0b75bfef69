import HubLock

/// A limit on concurrent operations. Waiting operations start in the order in which they arrived.
package final class ConcurrencyLimiter: Sendable {
    private struct State {
        var freeCount: Int
        var nextNumber = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let state: Locked<State>

    /// Creates a limiter that lets at most `limit` operations run at the same time.
    package init(limit: Int) {
        state = Locked(State(freeCount: limit))
    }

    /// The number of waiting operations.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs an operation as soon as the limit allows it.
    ///
    /// - Throws: The operation's error, or `CancellationError` if the task is cancelled while it waits.
    package func run<Value>(_ operation: () async throws -> Value) async throws -> Value {
        try await enter()
        defer { leave() }
        return try await operation()
    }

    private func enter() async throws {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let entry: Result<Void, any Error>? = state.withLock { state in
                    // A later cancellation finds the continuation in `waiting`.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.freeCount > 0 else {
                        state.waiting.append((number, continuation))
                        return nil
                    }
                    state.freeCount -= 1
                    return .success(())
                }
                if let entry { continuation.resume(with: entry) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    private func leave() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.freeCount += 1
                return CheckedContinuation<Void, any Error>?.none
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume()
    }
}
