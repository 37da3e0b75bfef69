import HubCrypto
import HubText

/// Checks tokens against the keys that may have signed them.
///
/// ```swift
/// let verifier = SASVerifier(keys: [primary, secondary])
/// let claims = try verifier.verify(SASToken(header), for: SASResource("https://contoso.net/push"))
/// ```
///
/// The signature is checked first, in constant time, over the token's text as it is; then the expiry, then the scope. Nothing is
/// allocated on the way to a token's claims, unless a key is kept elsewhere, or the query of `sr` is not ASCII.
public struct SASVerifier: Sendable {
    let keys: [SharedAccessKey]
    private let leeway: Int64
    private let maximumLifetime: Int64?
    /// As many keys as one token can name: every token costs this many signatures. Where it names fewer keys, these take
    /// their place, and the results are ignored.
    let decoys: [Authenticator]

    /// Accepts the tokens of some keys.
    ///
    /// - Parameters:
    ///   - keys: primary and secondary keys, of one policy or several. A token's key name selects those that are tried. A key
    ///     with an empty secret is ignored.
    ///   - leeway: how long a token is accepted after it has expired, for clocks that differ; in whole seconds, not negative.
    ///   - maximumLifetime: how long from now on a token may still be valid; in whole seconds, not negative. Any time, if `nil`.
    public init(keys: [SharedAccessKey], leeway: Duration = .zero, maximumLifetime: Duration? = nil) {
        precondition(leeway >= .zero, "the leeway must not be negative")
        precondition(maximumLifetime ?? .zero >= .zero, "the maximum lifetime must not be negative")
        let keys = keys.filter(\.isSecret)
        self.keys = keys
        self.leeway = leeway.components.seconds
        self.maximumLifetime = maximumLifetime?.components.seconds
        let groups = Dictionary(grouping: keys) { SASToken.plainestReading(of: Array($0.name.utf8)) }.values
        decoys =
            groups.max { $0.count < $1.count }?.map(\.authenticator) ?? [.key(HMAC.Key(data: EmptyCollection()))]
    }

    /// What a token grants, if it is genuine, has not ended and covers a resource.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - resource: what access is asked for.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    /// - Throws: ``SASTokenError``, with every failed check in ``SASTokenError/codes``.
    /// - Complexity: linear in the token's length, for each key of the name that most keys have.
    @discardableResult
    public func verify(_ token: SASToken, for resource: SASResource, now: Int64? = nil) throws(SASTokenError)
        -> SASClaims
    {
        try token.headerValue.withBytes { (text) throws(SASTokenError) in
            let signer = signer(of: token, text)
            return try claims(of: token, text, signer, for: resource, now: now ?? SystemClock.now())
        }
    }

    /// What the token of an `Authorization` header grants.
    ///
    /// - Parameters:
    ///   - authorization: the header's value; `nil` if it is missing.
    ///   - resource: what access is asked for.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    /// - Throws: ``SASTokenError``; its code is ``SASTokenError/Code/missing`` for `nil`.
    @discardableResult
    public func verify(
        authorization: String?, for resource: SASResource, now: Int64? = nil
    ) throws(SASTokenError) -> SASClaims {
        guard let authorization else { throw SASTokenError(.missing) }
        return try verify(SASToken(authorization), for: resource, now: now)
    }

    /// Who signed a token.
    enum Signer {
        /// No key has the name that the token states.
        case unknown
        /// Another key.
        case invalid
        /// The key at a position among the verifier's.
        case key(Int)

        /// The verdict after one candidate more.
        func trying(_ key: Int, _ isGenuine: Bool) -> Signer {
            if case .key = self { return self }
            return isGenuine ? .key(key) : .invalid
        }
    }

    /// Every candidate is tried, so that the time does not tell which one fits, nor, by decoys for those that are missing,
    /// whether there is any.
    private func signer(of token: SASToken, _ text: Span<UInt8>) -> Signer {
        let message = StringToSign(token)
        var signer = Signer.unknown
        var triedCount = 0
        for index in keys.indices where token.names(keys[index].name, in: text) {
            triedCount += 1
            let isGenuine = keys[index].authenticator.code(of: message) == token.signature
            signer = signer.trying(index, isGenuine)
        }
        for decoy in decoys.dropFirst(triedCount) { _ = decoy.code(of: message) == token.signature }
        return signer
    }

    /// The checks after the signature's.
    func claims(
        of token: SASToken, _ text: Span<UInt8>, _ signer: Signer, for resource: SASResource, now: Int64
    ) throws(SASTokenError) -> SASClaims {
        let hasExpired = token.expiry.addingSaturated(leeway) <= now
        let lastsTooLong = maximumLifetime.map { token.expiry > now.addingSaturated($0) } ?? false
        let isInScope = resource.isCovered(by: token.rawResource, of: text)
        if case .key(let index) = signer, !hasExpired, !lastsTooLong, isInScope {
            return SASClaims(token: token, keyName: keys[index].name)
        }
        var codes: [SASTokenError.Code] = []
        switch signer {
        case .unknown: codes.append(.unknownKey)
        case .invalid: codes.append(.invalidSignature)
        case .key: break
        }
        if hasExpired { codes.append(.expired) }
        if lastsTooLong { codes.append(.lifetimeTooLong) }
        if !isInScope { codes.append(.outOfScope) }
        throw SASTokenError(codes[0], Array(codes.dropFirst()))
    }
}

extension SASToken {
    /// Whether the token names a key, in one of the spellings that signers have: as it is, percent-encoded, encoded as in a
    /// form, or that twice.
    ///
    /// The name is not signed. It picks the keys that are tried, and their signature decides.
    func names(_ keyName: String, in text: Span<UInt8>) -> Bool {
        keyName.withBytes { name in
            Self.isEqual(text, rawKeyName, name)
                || Self.matches(PercentDecoding(rawKeyName, readsPlusAsSpace: false), text, name)
                || Self.matches(PercentDecoding(rawKeyName, readsPlusAsSpace: true), text, name)
                || Self.matchesTwice(PercentDecoding(rawKeyName, readsPlusAsSpace: true), text, name)
        }
    }

    /// What is left of a name when it is decoded until nothing changes any more: the same for all that one token can name.
    static func plainestReading(of name: [UInt8]) -> [UInt8] {
        let decoded = PercentDecoded(name, readsPlusAsSpace: true).bytes
        return decoded == name ? name : plainestReading(of: decoded)
    }

    private static func isEqual(_ text: Span<UInt8>, _ range: Range<Int>, _ name: Span<UInt8>) -> Bool {
        guard range.count == name.count else { return false }
        for index in name.indices where text[range.lowerBound + index] != name[index] { return false }
        return true
    }

    private static func matches(_ decoding: PercentDecoding, _ text: Span<UInt8>, _ name: Span<UInt8>) -> Bool {
        var decoding = decoding
        for index in name.indices {
            guard decoding.next(in: text) == name[index] else { return false }
        }
        return decoding.next(in: text) == nil && !decoding.hasInvalidEscape
    }

    private static func matchesTwice(_ decoding: PercentDecoding, _ text: Span<UInt8>, _ name: Span<UInt8>) -> Bool {
        var decoding = decoding
        for index in name.indices {
            guard nextTwice(&decoding, text) == name[index] else { return false }
        }
        return decoding.next(in: text) == nil && !decoding.hasInvalidEscape
    }

    /// The next byte of a text that was encoded twice; `nil` at its end, and where it was not.
    private static func nextTwice(_ decoding: inout PercentDecoding, _ text: Span<UInt8>) -> UInt8? {
        guard let byte = decoding.next(in: text) else { return nil }
        if byte == UInt8(ascii: "+") { return UInt8(ascii: " ") }
        guard byte == UInt8(ascii: "%") else { return byte }
        guard let high = decoding.next(in: text)?.hexDigitValue, let low = decoding.next(in: text)?.hexDigitValue else {
            return nil
        }
        return high << 4 | low
    }
}
