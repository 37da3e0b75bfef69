/// Gets tokens from a closure, and hands each out until shortly before it ends: one for each resource.
///
/// For programs that are to hold no key, such as an app whose backend hands it short-lived tokens:
///
/// ```swift
/// let tokens = SASFetchingSource { resource in try SASToken(try await backend.token(for: resource)) }
/// ```
///
/// Tasks that ask for the same resource while a token is on its way wait for that one, to the end, even if they are
/// cancelled. Copies share what is kept.
public struct SASFetchingSource: SASTokenSource {
    private let tokens: Tokens

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
        tokens = Tokens(margin: margin.components.seconds, fetch: fetch)
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

extension SASFetchingSource {
    /// What is kept, and what is on its way.
    private actor Tokens {
        private let margin: Int64
        private let fetch: @Sendable (String) async throws -> SASToken
        private var kept: [ExactText: KeptToken] = [:]
        private var underWay: [ExactText: Task<SASToken, any Error>] = [:]

        init(margin: Int64, fetch: @escaping @Sendable (String) async throws -> SASToken) {
            self.margin = margin
            self.fetch = fetch
        }

        func token(for resource: String, now: Int64) async throws -> SASToken {
            let name = ExactText(text: resource)
            if let token = kept[name], token.serves(at: now, margin: margin) { return token.token }
            if let task = underWay[name] { return try await task.value }
            let task = Task { [fetch] in try await fetch(resource) }
            underWay[name] = task
            defer { underWay[name] = nil }
            let token = try await task.value
            kept = kept.filter { $0.value.serves(at: now, margin: margin) }
            kept[name] = KeptToken(token: token, start: now)
            return token
        }

        func forget(_ token: SASToken, for resource: String) {
            let name = ExactText(text: resource)
            if kept[name]?.token.headerValue == token.headerValue { kept[name] = nil }
        }
    }
}

extension SASFetchingSource: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What this is; no token.
    public var description: String { "SASFetchingSource" }

    /// What this is; no token.
    public var debugDescription: String { description }

    /// A mirror without members.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
