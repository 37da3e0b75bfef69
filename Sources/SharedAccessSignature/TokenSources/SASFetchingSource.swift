/// Gets tokens from a closure, and hands each out until shortly before it ends: one for each resource.
///
/// For programs that are to hold no key, such as an app whose backend hands it short-lived tokens:
///
/// ```swift
/// let tokens = SASFetchingSource { resource in try SASToken(try await backend.token(for: resource)) }
/// ```
///
/// Tasks that ask for the same resource while a token is on its way wait for that one. One that is cancelled stops waiting at
/// once, and when nobody waits any more, the closure's task is cancelled. Copies share what is kept. For
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
    ///   - problem: why the service refused it.
    ///   - resource: the URL of the resource that the token grants access to.
    /// - Returns: `nil` if the closure returns the same token again.
    /// - Throws: the closure's error.
    public func token(
        replacing token: SASToken, rejectedFor problem: SASTokenRefusal, for resource: String
    ) async throws -> SASToken? {
        try await self.token(replacing: token, rejectedFor: problem, for: resource, now: SystemClock.now())
    }

    /// - Parameter now: seconds since 1970 UTC.
    package func token(
        replacing refused: SASToken, rejectedFor problem: SASTokenRefusal, for resource: String, now: Int64
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
