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
public struct SASFetchingSource: SASTokenSource {
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

    /// A token that has still some time to go; one that has not, if the closure gives no other.
    ///
    /// - Parameters:
    ///   - resource: the URL of what it is for.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    /// - Throws: what the closure throws.
    public func token(for resource: String, now: Int64? = nil) async throws -> SASToken {
        try await tokens.token(for: resource, now: now ?? SystemClock.now())
    }

    /// A new token, after the service has refused one.
    ///
    /// - Parameters:
    ///   - refused: the token that was refused.
    ///   - reason: what the service has said of it.
    ///   - resource: the URL of what it was for.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    /// - Returns: `nil` if the closure gives the same one again.
    /// - Throws: what the closure throws.
    public func token(
        inPlaceOf refused: SASToken, because reason: SASTokenRefusal, for resource: String, now: Int64? = nil
    ) async throws -> SASToken? {
        await tokens.forget(refused, for: resource)
        let token = try await tokens.token(for: resource, now: now ?? SystemClock.now())
        return token.headerValue == refused.headerValue ? nil : token
    }
}

extension SASFetchingSource: CustomStringConvertible, CustomReflectable {
    /// What this is; no token.
    public var description: String { "SASFetchingSource" }

    /// A mirror without members.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
