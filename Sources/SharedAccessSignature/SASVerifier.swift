import HubCrypto

/// Checks tokens against the keys that may have signed them.
///
/// The signature is checked first, in constant time, over the token's text as it is; then the expiry, then the scope.
public struct SASVerifier: Sendable {
    private let keys: [SharedAccessKey]
    private let leeway: Int64
    /// Does for an unknown name the work that a known one costs.
    private let decoy = HMAC.Key(EmptyCollection())

    /// Accepts tokens of some keys.
    ///
    /// - Parameters:
    ///   - keys: primary and secondary keys, of one policy or several. A token's key name picks those that are tried.
    ///   - leeway: how many seconds longer than it says a token is taken, for clocks that differ. Not negative.
    public init(keys: [SharedAccessKey], leeway: Int64 = 0) {
        precondition(leeway >= 0, "a negative leeway would refuse valid tokens")
        self.keys = keys
        self.leeway = leeway
    }

    /// What a token grants, if it is genuine, has not ended and covers a resource.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - resource: the URL that access is asked for, not percent-encoded as a whole.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    /// - Throws: ``Refusal``, which lists every check that failed.
    @discardableResult
    public func verify(_ token: SASToken, for resource: String, now: Int64? = nil) throws(Refusal) -> SASClaims {
        let claims = token.unverifiedClaims
        var failures: [Refusal.Reason] = []

        let candidates = keys.filter { $0.name.utf8.elementsEqual(claims.keyName.utf8) }
        // Every candidate is tried, so that the time does not tell which one fits.
        let isGenuine = candidates.map { $0.hmacKey.hasSigned(token) }.contains(true)
        if candidates.isEmpty {
            _ = decoy.hasSigned(token)
            failures.append(.unknownKey)
        } else if !isGenuine {
            failures.append(.invalidSignature)
        }

        if token.expiry.addingSaturated(leeway) <= now ?? SystemClock.now() { failures.append(.expired) }

        let isInScope = SASScope(resource).flatMap { SASScope(claims.resource)?.covers($0) } ?? false
        if !isInScope { failures.append(.outOfScope) }

        guard failures.isEmpty else { throw Refusal(reasons: failures) }
        return claims
    }
}

extension SASVerifier {
    /// Why a token is refused: every check that failed, in the order in which they were made.
    public struct Refusal: Error, Hashable, CustomStringConvertible {
        /// A check that failed.
        public enum Reason: String, Sendable {
            /// No key of this name is known.
            case unknownKey = "no key of the token's name is known here"
            /// The key of this name did not sign this token.
            case invalidSignature = "the signature is not that of the key which the token names"
            /// The token has ended.
            case expired = "the token has expired"
            /// The token is for another resource.
            case outOfScope = "the token is not for this resource"
        }

        /// Every check that failed; never empty.
        public let reasons: [Reason]

        /// The reasons, in one line.
        public var description: String { reasons.map(\.rawValue).joined(separator: "; ") }
    }
}

extension HMAC.Key {
    /// Whether the token's signature is this key's, over the texts of `sr` and `se` as they are, with a line feed between.
    fileprivate func hasSigned(_ token: SASToken) -> Bool {
        var signed = Array(token.text(token.rawResource).utf8)
        signed.append(UInt8(ascii: "\n"))
        signed.append(contentsOf: token.text(token.rawExpiry).utf8)
        return isValidAuthenticationCode(token.signature, for: signed)
    }
}
