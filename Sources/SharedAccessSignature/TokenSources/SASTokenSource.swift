/// Where a client gets its tokens.
///
/// ``SASSigningSource`` signs them with keys; ``SASFetchingSource`` gets them from elsewhere, for programs that are to hold no key.
public protocol SASTokenSource: Sendable {
    /// A token that has still some time to go.
    ///
    /// - Parameters:
    ///   - resource: the URL of what it is for.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    func token(for resource: String, now: Int64?) async throws -> SASToken

    /// A token to try once more with, after the service has refused one.
    ///
    /// - Parameters:
    ///   - refused: the token that was refused.
    ///   - reason: what the service has said of it.
    ///   - resource: the URL of what it was for.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    /// - Returns: `nil` if there is nothing else to try.
    func token(
        inPlaceOf refused: SASToken, because reason: SASTokenRefusal, for resource: String, now: Int64?
    ) async throws -> SASToken?
}

extension SASTokenSource {
    /// A token that has still some time to go, by the system's clock.
    public func token(for resource: String) async throws -> SASToken {
        try await token(for: resource, now: nil)
    }

    /// Nothing else to try.
    public func token(
        inPlaceOf refused: SASToken, because reason: SASTokenRefusal, for resource: String, now: Int64?
    ) async throws -> SASToken? {
        nil
    }
}

/// Why the service has refused a token, as far as another token may help.
public enum SASTokenRefusal: Hashable, Sendable {
    /// The signature is not that of the key: the key was regenerated, perhaps.
    case invalidSignature
    /// The token has ended: this machine's clock is late, perhaps.
    case expired
}

/// A token that is kept as long as it serves.
struct KeptToken: Sendable {
    let token: SASToken
    /// When it was made, or came.
    let start: Int64

    /// Whether it has more than a margin to go, or than a quarter of its time, whichever is less; and whether the clock was not
    /// put back since it came, beyond what callers differ by that look at it at about the same time.
    func serves(at now: Int64, margin: Int64) -> Bool {
        let lifetime = token.expiry.subtractingSaturated(start)
        return start <= now.addingSaturated(10)
            && now < token.expiry.subtractingSaturated(min(margin, max(0, lifetime / 4)))
    }
}
