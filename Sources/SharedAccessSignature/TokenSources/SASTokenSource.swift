import HubText

/// A source of tokens for a client.
///
/// ``SASSigningSource`` signs tokens with a key. ``SASFetchingSource`` requests tokens from another party, for programs without
/// a key.
public protocol SASTokenSource: Sendable {
    /// Returns a token that is still valid for some time.
    ///
    /// - Parameter resource: The URL of the resource that the token must grant access to.
    func token(for resource: String) async throws -> SASToken

    /// Returns a replacement for a token that the service rejected; `nil`, the default, if there is none.
    ///
    /// - Parameters:
    ///   - token: The rejected token.
    ///   - code: The reason for the rejection: ``SASTokenError/Code/invalidSignature`` or ``SASTokenError/Code/expired``.
    ///     Another token cannot resolve other rejections.
    ///   - resource: The URL of the resource that the token must grant access to.
    func token(
        replacing token: SASToken, rejectedFor code: SASTokenError.Code, for resource: String
    ) async throws -> SASToken?
}

extension SASTokenSource {
    /// Returns `nil`, because the source has no replacement.
    public func token(
        replacing token: SASToken, rejectedFor code: SASTokenError.Code, for resource: String
    ) async throws -> SASToken? {
        nil
    }
}

/// A token source that caches tokens.
package protocol SASTokenCache: SASTokenSource {
    /// Returns a valid token that is available without waiting; `nil` if there is none.
    func cachedToken(for resource: String) async -> SASToken?
}

/// A token source that signs for the time of this machine.
package protocol SASClockedSource: SASTokenSource {
    /// Signs for another time from now on.
    ///
    /// - Parameter seconds: The other time minus this machine's.
    func setClockOffset(_ seconds: Int64)
}

/// A token with the time from which its lifetime is counted.
struct CachedToken: Sendable {
    let token: SASToken
    /// The time at which the token was signed or its fetch started, in seconds since 1970 UTC.
    let start: Int64

    /// Returns whether the token can still be used.
    ///
    /// Its remaining lifetime must exceed the margin or a quarter of its lifetime, whichever is less. A token that
    /// starts more than ten seconds in the future is not fresh, because the clock was set back.
    func isFresh(at now: Int64, margin: Int64) -> Bool {
        let lifetime = token.expiry.subtractingSaturated(start)
        return start <= now.addingSaturated(10)
            && now < token.expiry.subtractingSaturated(min(margin, max(0, lifetime / 4)))
    }
}

/// A string that is compared by its UTF-8 bytes.
///
/// `String` treats canonically equivalent strings as equal, so one resource would get the token of another.
struct ExactString: Hashable, Sendable {
    let text: String

    static func == (left: Self, right: Self) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    func hash(into hasher: inout Hasher) {
        text.hashBytes(into: &hasher)
    }
}

extension SASTokenSource where Self == SASSigningSource {
    /// Creates a source that signs with a key, and with the secondary key after the service rejects the first key's signature.
    public static func signed(by key: SharedAccessKey, or secondary: SharedAccessKey? = nil) -> SASSigningSource {
        SASSigningSource(key: key, secondary: secondary)
    }
}
