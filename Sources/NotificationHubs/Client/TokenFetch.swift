import HubLock
import SharedAccessSignature

/// A token source whose requests end by a call's deadline.
struct TokenFetch: Sendable {
    private let source: any SASTokenSource
    private let cache: (any SASTokenCache)?
    /// The URL to request tokens for.
    private let resource: String

    init(_ source: any SASTokenSource, resource: String) {
        self.source = source
        self.resource = resource
        cache = source as? any SASTokenCache
    }

    /// Returns a token, or `nil` if the source does not return within the limit.
    ///
    /// A cached token does not require a task. Otherwise, a separate task calls the source, because the source can block.
    func token(within limit: Duration, _ time: CallTime) async throws -> SASToken? {
        if let token = await cache?.cachedToken(for: resource) { return token }
        return try await result(within: limit, time) { [source, resource] in try await source.token(for: resource) }
    }

    /// Returns a token to try after the service has rejected one, or `nil` if there is none or the limit expires.
    ///
    /// - Parameter clockSkew: The service's time minus this machine's, for which to sign if the token has expired.
    func token(
        replacing token: SASToken, rejectedFor problem: SASTokenError.Code, clockSkew: Int64?, within limit: Duration,
        _ time: CallTime
    ) async throws -> SASToken? {
        if problem == .expired, let clockSkew, let source = source as? any SASClockedSource {
            source.setClockOffset(clockSkew)
        }
        return try await result(within: limit, time) { [source, resource] in
            try await source.token(replacing: token, rejectedFor: problem, for: resource)
        } ?? nil
    }

    /// Returns the result of an operation, or `nil` if the limit expires. The operation is then cancelled and not awaited.
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

/// A value that is set once and awaited by one task.
private final class FirstResult<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private let state = Locked(State())

    /// Sets the result. Later results are ignored.
    func set(_ result: Result<Value, any Error>) {
        let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
            guard state.result == nil else { return nil }
            state.result = result
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    /// The result, once it is set. Throws `CancellationError` if the task is cancelled first.
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
