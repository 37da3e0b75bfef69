import HubLock
import SharedAccessSignature

/// A token source, asked within a call's deadline.
struct TokenFetch: Sendable {
    private let source: any SASTokenSource
    private let cache: (any SASTokenCache)?
    /// The URL that tokens are requested for.
    private let resource: String

    init(_ source: any SASTokenSource, resource: String) {
        self.source = source
        self.resource = resource
        cache = source as? any SASTokenCache
    }

    /// The token; `nil` after the limit.
    ///
    /// A cached token needs no task. Any other source might wait for ever, so a task of its own asks it.
    func token(within limit: Duration, _ time: CallTime) async throws -> SASToken? {
        if let token = await cache?.cachedToken(for: resource) { return token }
        return try await result(within: limit, time) { [source, resource] in try await source.token(for: resource) }
    }

    /// The token to try after the service has refused one; `nil` if there is no other, and after the limit.
    func token(
        replacing token: SASToken, rejectedFor problem: SASTokenError.Code, within limit: Duration, _ time: CallTime
    ) async throws -> SASToken? {
        try await result(within: limit, time) { [source, resource] in
            try await source.token(replacing: token, rejectedFor: problem, for: resource)
        } ?? nil
    }

    /// The result of an operation; `nil` after the limit. The operation is then cancelled, and not waited for.
    private func result<Value: Sendable>(
        within limit: Duration, _ time: CallTime, of operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try Task.checkCancellation()
        guard limit > .zero else { return nil }
        let first = FirstResult<Value?>()
        let work = Task {
            do {
                first.set(.success(try await operation()))
            } catch {
                first.set(.failure(error))
            }
        }
        let timer = Task {
            try await time.timer(limit)
            first.set(.success(nil))
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        return try await first.value
    }
}

/// The first of several results, and the one task that waits for it.
private final class FirstResult<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private let state = Locked(State())

    /// Sets the result, unless there is one already.
    func set(_ result: Result<Value, any Error>) {
        let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
            guard state.result == nil else { return nil }
            state.result = result
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    /// The result; `CancellationError` if the task is cancelled before.
    var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let result: Result<Value, any Error>? = state.withLock { state in
                        state.continuation = continuation
                        return state.result
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                set(.failure(CancellationError()))
            }
        }
    }
}

/// Lets so many operations at a time run; the others wait, in the order in which they came.
package final class Gate: Sendable {
    private struct State {
        var freeCount: Int
        var nextNumber = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private let state: Locked<State>

    /// A gate that so many may be behind at once.
    package init(count: Int) {
        state = Locked(State(freeCount: count))
    }

    /// How many wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs an operation once there is room for it.
    ///
    /// - Throws: what the operation throws; `CancellationError`, if the task is cancelled while it waits.
    package func pass<Value>(_ operation: () async throws -> Value) async throws -> Value {
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
                    // A cancellation that comes later than this finds the continuation.
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
