/// A source of tokens for a client.
///
/// ``SASSigningSource`` signs them with keys. ``SASFetchingSource`` requests them elsewhere, for programs without a key.
public protocol SASTokenSource: Sendable {
    /// Returns a token that is valid for some time.
    ///
    /// - Parameter resource: the URL of the resource that the token grants access to.
    func token(for resource: String) async throws -> SASToken

    /// Returns a token to try after the service has refused one; `nil`, the default, if there is no other.
    ///
    /// - Parameters:
    ///   - token: the refused token.
    ///   - code: why the service rejected it, as far as another token can help: ``SASTokenError/Code/invalidSignature`` or
    ///     ``SASTokenError/Code/expired``.
    ///   - resource: the URL of the resource that the token grants access to.
    func token(
        replacing token: SASToken, rejectedFor code: SASTokenError.Code, for resource: String
    ) async throws -> SASToken?
}

extension SASTokenSource {
    /// Returns `nil`: there is no other token.
    public func token(
        replacing token: SASToken, rejectedFor code: SASTokenError.Code, for resource: String
    ) async throws -> SASToken? {
        nil
    }
}

/// A source that has most tokens at hand.
package protocol SASTokenCache: SASTokenSource {
    /// A valid token that is available without waiting; otherwise `nil`.
    func cachedToken(for resource: String) async -> SASToken?
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

/// A text that equals only texts of the same bytes. Canonically equivalent `String`s are equal: a resource would get
/// another's token.
struct ExactText: Hashable, Sendable {
    let text: String

    static func == (left: Self, right: Self) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension SASTokenSource where Self == SASSigningSource {
    /// A source that signs with a key, and with the secondary key when the service calls the first one's signatures invalid.
    public static func signed(by key: SharedAccessKey, or secondary: SharedAccessKey? = nil) -> SASSigningSource {
        SASSigningSource(key: key, secondary: secondary)
    }
}
