/// A token source that fetches one token per resource from a closure and reuses it until shortly before its expiry.
///
/// Use it in programs that must not hold a key, such as an app whose backend issues short-lived tokens:
///
/// ```swift
/// let tokens = SASFetchingSource { resource in try SASToken(try await backend.token(for: resource)) }
/// ```
///
/// Concurrent calls for the same resource share one fetch. A cancelled call throws `CancellationError` immediately. The
/// fetch is cancelled when all of its callers are cancelled.
///
/// Copies share their cache. The cache holds tokens for up to 1024 resources; when it is full, it is emptied.
public struct SASFetchingSource: SASTokenCache {
    private let tokens: FetchedTokens

    /// Creates a source that fetches tokens with a closure.
    ///
    /// - Parameters:
    ///   - margin: The remaining lifetime at which a token is renewed, or a quarter of its lifetime when fetched if that is
    ///     less.
    ///   - fetch: Returns a new token for a resource's URL.
    public init(
        renewingBefore margin: Duration = .seconds(300),
        fetch: @escaping @Sendable (_ resource: String) async throws -> SASToken
    ) {
        precondition(margin >= .zero, "the renewal margin must not be negative")
        tokens = FetchedTokens(margin: margin.components.seconds, fetch: fetch)
    }

    /// Returns the cached token for a resource, or fetches a new one.
    ///
    /// - Parameter resource: The URL of the resource that the token must grant access to.
    /// - Throws: The closure's error; `CancellationError` if the task is cancelled.
    public func token(for resource: String) async throws -> SASToken {
        try await token(for: resource, now: SystemClock.now())
    }

    /// Returns the cached token for a resource, or fetches a new one.
    ///
    /// - Parameter now: The current time in seconds since 1970 UTC.
    package func token(for resource: String, now: Int64) async throws -> SASToken {
        try await tokens.token(for: resource, now: now)
    }

    /// Returns a replacement for a token that the service rejected.
    ///
    /// - Parameters:
    ///   - token: The rejected token.
    ///   - code: The reason for the rejection.
    ///   - resource: The URL of the resource that the token must grant access to.
    /// - Returns: The new token; `nil` if the closure returns the rejected token again.
    /// - Throws: The closure's error; `CancellationError` if the task is cancelled.
    public func token(
        replacing token: SASToken, rejectedFor code: SASTokenError.Code, for resource: String
    ) async throws -> SASToken? {
        try await self.token(replacing: token, rejectedFor: code, for: resource, now: SystemClock.now())
    }

    /// Returns a replacement for a token that the service rejected.
    ///
    /// - Parameter now: The current time in seconds since 1970 UTC.
    package func token(
        replacing rejected: SASToken, rejectedFor code: SASTokenError.Code, for resource: String, now: Int64
    ) async throws -> SASToken? {
        await tokens.remove(rejected, for: resource)
        let token = try await tokens.token(for: resource, now: now)
        return token.headerValue == rejected.headerValue ? nil : token
    }

    package func cachedToken(for resource: String) async -> SASToken? {
        await tokens.cachedToken(for: resource, now: SystemClock.now())
    }
}

extension SASFetchingSource: CustomStringConvertible, CustomReflectable {
    /// The type's name. It contains no token.
    public var description: String { "SASFetchingSource" }

    /// A mirror without members.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The fetched tokens and the fetches in flight.
actor FetchedTokens {
    /// The maximum number of cached tokens.
    static let capacity = 1024

    private let margin: Int64
    private let fetch: @Sendable (String) async throws -> SASToken
    private var cache: [ExactString: CachedToken] = [:]
    private var inFlight: [ExactString: Fetch] = [:]
    private var lastWaiter: UInt64 = 0

    /// A fetch in flight, with the callers that wait for its result.
    private struct Fetch {
        let number: UInt64
        let task: Task<Void, Never>
        var waiters: [UInt64: CheckedContinuation<SASToken, any Error>] = [:]
    }

    init(margin: Int64, fetch: @escaping @Sendable (String) async throws -> SASToken) {
        self.margin = margin
        self.fetch = fetch
    }

    func token(for resource: String, now: Int64) async throws -> SASToken {
        if let token = cachedToken(for: resource, now: now) { return token }
        let name = ExactString(text: resource)
        lastWaiter += 1
        let waiter = lastWaiter
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(waiter, continuation, for: name, now: now)
            }
        } onCancel: {
            Task { await self.stopWaiting(waiter, for: name) }
        }
    }

    func cachedToken(for resource: String, now: Int64) -> SASToken? {
        guard let token = cache[ExactString(text: resource)], token.isFresh(at: now, margin: margin) else { return nil }
        return token.token
    }

    func remove(_ token: SASToken, for resource: String) {
        let name = ExactString(text: resource)
        if cache[name]?.token.headerValue == token.headerValue { cache[name] = nil }
    }

    private func wait(
        _ waiter: UInt64, _ continuation: CheckedContinuation<SASToken, any Error>, for name: ExactString, now: Int64
    ) {
        // The cancellation handler has already run if the task was cancelled before this call.
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        var current = inFlight[name] ?? start(name, number: waiter, now: now)
        current.waiters[waiter] = continuation
        inFlight[name] = current
    }

    private func start(_ name: ExactString, number: UInt64, now: Int64) -> Fetch {
        Fetch(
            number: number,
            task: Task {
                let result: Result<SASToken, any Error>
                do {
                    result = .success(try await fetch(name.text))
                } catch {
                    result = .failure(error)
                }
                finish(name, number: number, result, now: now)
            })
    }

    private func finish(_ name: ExactString, number: UInt64, _ result: Result<SASToken, any Error>, now: Int64) {
        // If all callers were cancelled, this fetch is obsolete and another may be in flight.
        guard let fetch = inFlight[name], fetch.number == number else { return }
        inFlight[name] = nil
        if case .success(let token) = result {
            if cache[name] == nil, cache.count == Self.capacity { cache = [:] }
            cache[name] = CachedToken(token: token, start: now)
        }
        for waiter in fetch.waiters.values { waiter.resume(with: result) }
    }

    private func stopWaiting(_ waiter: UInt64, for name: ExactString) {
        guard let continuation = inFlight[name]?.waiters.removeValue(forKey: waiter) else { return }
        continuation.resume(throwing: CancellationError())
        if inFlight[name]?.waiters.isEmpty == true {
            inFlight[name]?.task.cancel()
            inFlight[name] = nil
        }
    }
}
