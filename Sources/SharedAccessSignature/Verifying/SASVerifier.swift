import HubCrypto
import HubText

/// A verifier of tokens against a set of keys.
///
/// ```swift
/// let verifier = SASVerifier(keys: [primary, secondary])
/// let claims = try verifier.verify(SASToken(header), for: SASResource("https://contoso.net/push"))
/// ```
///
/// The verifier checks the signature over the token's undecoded text, in constant time, then the expiry, the lifetime
/// and the scope. It allocates no memory for a valid token, except for a non-ASCII query in `sr` and, before version 26
/// of Apple's systems, for a copy of the token.
public struct SASVerifier: Sendable {
    let keys: ContiguousArray<SharedAccessKey>
    /// The keys' names.
    let names: ContiguousArray<ContiguousArray<UInt8>>
    private let leeway: Int64
    private let maximumLifetime: Int64?
    private let ignoresPort: Bool
    /// The key to try, ignoring the result, for a token that names none of the keys.
    let decoy = HMAC.Key(data: EmptyCollection())

    /// Creates a verifier that accepts tokens signed with any of the keys.
    ///
    /// - Parameters:
    ///   - keys: The primary and secondary keys of one or more policies. A token's key name selects the keys to try.
    ///     Keys whose secret is empty or contains only zero bytes are ignored.
    ///   - leeway: The time after the expiry for which a token is accepted, to tolerate clock differences. It must not be
    ///     negative; fractions of a second are discarded.
    ///   - maximumLifetime: The maximum remaining lifetime of a token; `nil` for no limit. It must not be negative; fractions
    ///     of a second are discarded.
    ///   - ignoringPort: Whether a token for any port of a host is accepted. By default, ports are compared as
    ///     ``SASResource`` describes. Some clients sign without the port of their endpoint, or always with port 443.
    public init(
        keys: [SharedAccessKey], leeway: Duration = .zero, maximumLifetime: Duration? = nil, ignoringPort: Bool = false
    ) {
        precondition(leeway >= .zero, "the leeway must not be negative")
        precondition(maximumLifetime ?? .zero >= .zero, "the maximum lifetime must not be negative")
        let keys = keys.filter(\.isSecret)
        self.keys = ContiguousArray(keys)
        names = ContiguousArray(keys.map { ContiguousArray($0.name.utf8) })
        self.leeway = leeway.components.seconds
        self.maximumLifetime = maximumLifetime?.components.seconds
        ignoresPort = ignoringPort
    }

    /// Verifies a token and returns its claims.
    ///
    /// - Parameters:
    ///   - token: The token to verify.
    ///   - resource: The requested resource.
    ///   - now: The current time in seconds since 1970 UTC; the system clock if `nil`.
    /// - Returns: The claims of the valid token.
    /// - Throws: ``SASTokenError`` with every failed check in ``SASTokenError/codes``.
    /// - Complexity: O(*n* · *k*), where *n* is the token's length and *k* the largest number of keys with equal names.
    public func verify(_ token: SASToken, for resource: SASResource, now: Int64? = nil) throws(SASTokenError)
        -> SASClaims
    {
        try token.headerValue.withBytes { (text) throws(SASTokenError) in
            let signer = signer(of: token, text)
            return try claims(of: token, text, signer, for: resource, now: now ?? SystemClock.now())
        }
    }

    /// Verifies the token of an `Authorization` header and returns its claims.
    ///
    /// - Parameters:
    ///   - authorization: The header's value; `nil` if the header is missing.
    ///   - resource: The requested resource.
    ///   - now: The current time in seconds since 1970 UTC; the system clock if `nil`.
    /// - Returns: The claims of the valid token.
    /// - Throws: ``SASTokenError``, with the code ``SASTokenError/Code/missing`` if the header is missing.
    public func verify(
        authorization: String?, for resource: SASResource, now: Int64? = nil
    ) throws(SASTokenError) -> SASClaims {
        guard let authorization else { throw SASTokenError(.missing) }
        return try verify(SASToken(authorization), for: resource, now: now)
    }

    /// The result of checking a signature.
    enum Signer {
        /// No key matches the token's key name.
        case unknown
        /// No key that matches the token's key name signed the token.
        case invalid
        /// The key at an index in `keys` signed the token.
        case key(Int)

        /// Returns the result after trying another key.
        func trying(_ key: Int, _ isGenuine: Bool) -> Signer {
            if case .key = self { return self }
            return isGenuine ? .key(key) : .invalid
        }
    }

    /// Returns the signer of a token.
    ///
    /// Every key with the token's key name is tried, so timing does not reveal which one matches. A token with an unknown key
    /// name costs one signature, like one with a wrong signature.
    private func signer(of token: SASToken, _ text: Span<UInt8>) -> Signer {
        let resource = text.extracting(token.rawResource)
        let expiry = text.extracting(token.rawExpiry)
        var signer = Signer.unknown
        // Elements of a span are not copied.
        let (keys, names) = (keys.span, names.span)
        for index in keys.indices where SASToken.isName(token.rawKeyName, of: text, equalTo: names[index].span) {
            let code = StringToSign.signature(resource: resource, expiry: expiry, with: keys[index].secret.states)
            signer = signer.trying(index, code == token.signature)
        }
        if case .unknown = signer {
            _ = StringToSign.signature(resource: resource, expiry: expiry, with: decoy.states) == token.signature
        }
        return signer
    }

    /// Checks the expiry, lifetime and scope, and returns the claims.
    func claims(
        of token: SASToken, _ text: Span<UInt8>, _ signer: Signer, for resource: SASResource, now: Int64
    ) throws(SASTokenError) -> SASClaims {
        let hasExpired = token.expiry.addingSaturated(leeway) <= now
        let lastsTooLong = maximumLifetime.map { token.expiry > now.addingSaturated($0) } ?? false
        let isInScope = resource.isCovered(by: token.rawResource, of: text, ignoringPort: ignoresPort)
        if case .key(let index) = signer, !hasExpired, !lastsTooLong, isInScope {
            let names = names.span
            let isEncoded = !SASToken.isEqual(text, token.rawKeyName, names[index].span)
            return SASClaims(token: token, decodedKeyName: isEncoded ? keys[index].name : nil)
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
    /// Returns whether a token's undecoded key name equals a key's name in any of the encodings that signers use.
    ///
    /// Signers leave the name unencoded, percent-encode it, form-encode it, or form-encode it twice. The name is not signed: it
    /// only selects the keys to try.
    static func isName(_ range: Range<Int>, of text: Span<UInt8>, equalTo keyName: Span<UInt8>) -> Bool {
        isEqual(text, range, keyName)
            || matches(PercentDecoding(range, readsPlusAsSpace: false), text, keyName)
            || matches(PercentDecoding(range, readsPlusAsSpace: true), text, keyName)
            || matchesTwice(PercentDecoding(range, readsPlusAsSpace: true), text, keyName)
    }

    static func isEqual(_ text: Span<UInt8>, _ range: Range<Int>, _ name: Span<UInt8>) -> Bool {
        range.count == name.count && text.contains(name, at: range.lowerBound)
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

    /// Decodes the next byte of a string that was encoded twice; `nil` at the end or for an invalid escape.
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
