/// Gets tokens from a closure, and hands each out until shortly before it ends: one for each resource.
///
/// For programs that are to hold no key, such as an app whose backend hands it short-lived tokens:
///
/// ```swift
/// let tokens = SASFetchingSource { resource in try SASToken(try await backend.token(for: resource)) }
/// ```
///
/// Tasks that ask for the same resource while a token is on its way wait for that one. One that is cancelled stops waiting at
/// once; when no task waits any more, the closure's task is cancelled. Copies share what is kept. For
/// up to 1024 resources something is kept; with more, all of it is dropped now and then, and asked for anew.
public struct SASFetchingSource: SASTokenCache {
    private let tokens: FetchedTokens

    /// Asks a closure.
    ///
    /// - Parameters:
    ///   - margin: how long before its end a token is replaced; a quarter of the time that it had left when it came if
    ///     that is less.
    ///   - fetch: gets a new token for a resource's URL.
    public init(
        renewingBefore margin: Duration = .seconds(300),
        fetch: @escaping @Sendable (_ resource: String) async throws -> SASToken
    ) {
        precondition(margin >= .zero, "a token cannot be renewed after its end")
        tokens = FetchedTokens(margin: margin.components.seconds, fetch: fetch)
    }

    /// Returns a token that is valid for some time: the last one for the resource, or a new one from the closure.
    ///
    /// - Parameter resource: the URL of the resource that the token grants access to.
    /// - Throws: the closure's error.
    public func token(for resource: String) async throws -> SASToken {
        try await token(for: resource, now: SystemClock.now())
    }

    /// - Parameter now: seconds since 1970 UTC.
    package func token(for resource: String, now: Int64) async throws -> SASToken {
        try await tokens.token(for: resource, now: now)
    }

    /// Returns a new token after the service has refused one.
    ///
    /// - Parameters:
    ///   - token: the refused token.
    ///   - code: why the service rejected it.
    ///   - resource: the URL of the resource that the token grants access to.
    /// - Returns: `nil` if the closure returns the same token again.
    /// - Throws: the closure's error.
    public func token(
        replacing token: SASToken, rejectedFor code: SASTokenError.Code, for resource: String
    ) async throws -> SASToken? {
        try await self.token(replacing: token, rejectedFor: code, for: resource, now: SystemClock.now())
    }

    /// - Parameter now: seconds since 1970 UTC.
    package func token(
        replacing refused: SASToken, rejectedFor code: SASTokenError.Code, for resource: String, now: Int64
    ) async throws -> SASToken? {
        await tokens.forget(refused, for: resource)
        let token = try await tokens.token(for: resource, now: now)
        return token.headerValue == refused.headerValue ? nil : token
    }

    package func cachedToken(for resource: String) async -> SASToken? {
        await tokens.keptToken(for: resource, now: SystemClock.now())
    }
}

extension SASFetchingSource: CustomStringConvertible, CustomReflectable {
    /// What this is; no token.
    public var description: String { "SASFetchingSource" }

    /// A mirror without members.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Tokens that came from a closure, and those that are on their way.
actor FetchedTokens {
    /// For so many resources tokens are kept; with more, all are dropped.
    static let capacity = 1024

    private let margin: Int64
    private let fetch: @Sendable (String) async throws -> SASToken
    private var kept: [ExactText: KeptToken] = [:]
    private var underWay: [ExactText: Fetch] = [:]
    private var lastWaiter: UInt64 = 0

    /// A running closure, and the tasks that wait for its result.
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
        if let token = keptToken(for: resource, now: now) { return token }
        let name = ExactText(text: resource)
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

    func keptToken(for resource: String, now: Int64) -> SASToken? {
        guard let token = kept[ExactText(text: resource)], token.serves(at: now, margin: margin) else { return nil }
        return token.token
    }

    func forget(_ token: SASToken, for resource: String) {
        let name = ExactText(text: resource)
        if kept[name]?.token.headerValue == token.headerValue { kept[name] = nil }
    }

    private func wait(
        _ waiter: UInt64, _ continuation: CheckedContinuation<SASToken, any Error>, for name: ExactText, now: Int64
    ) {
        // Cancelled before it waited: the handler has run already.
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        var current = underWay[name] ?? start(name, number: waiter, now: now)
        current.waiters[waiter] = continuation
        underWay[name] = current
    }

    private func start(_ name: ExactText, number: UInt64, now: Int64) -> Fetch {
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

    private func finish(_ name: ExactText, number: UInt64, _ result: Result<SASToken, any Error>, now: Int64) {
        // No task waited any more, and another fetch may have begun since.
        guard let fetch = underWay[name], fetch.number == number else { return }
        underWay[name] = nil
        if case .success(let token) = result {
            if kept[name] == nil, kept.count == Self.capacity { kept = [:] }
            kept[name] = KeptToken(token: token, start: now)
        }
        for waiter in fetch.waiters.values { waiter.resume(with: result) }
    }

    private func stopWaiting(_ waiter: UInt64, for name: ExactText) {
        guard let continuation = underWay[name]?.waiters.removeValue(forKey: waiter) else { return }
        continuation.resume(throwing: CancellationError())
        if underWay[name]?.waiters.isEmpty == true {
            underWay[name]?.task.cancel()
            underWay[name] = nil
        }
    }
}
