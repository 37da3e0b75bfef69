import HubCrypto
import HubText

extension SASVerifier {
    /// Verifies many tokens and returns the result of each, in order.
    ///
    /// The results equal those of ``SASVerifier/verify(_:for:now:)``, but several signatures are computed in parallel on
    /// processors that support it.
    ///
    /// - Parameters:
    ///   - tokens: The tokens to verify.
    ///   - resource: The requested resource.
    ///   - now: The current time in seconds since 1970 UTC; the system clock if `nil`.
    public func verify(
        batch tokens: [SASToken], for resource: SASResource, now: Int64? = nil
    ) -> [Result<SASClaims, SASTokenError>] {
        let now = now ?? SystemClock.now()
        let signers = signers(of: tokens)
        var verdicts: [Result<SASClaims, SASTokenError>] = []
        verdicts.reserveCapacity(tokens.count)
        for (index, token) in tokens.enumerated() {
            verdicts.append(
                Result { () throws(SASTokenError) in
                    try token.headerValue.withBytes { (text) throws(SASTokenError) in
                        try claims(of: token, text, signers[index], for: resource, now: now)
                    }
                })
        }
        return verdicts
    }

    /// Returns the signer of each token.
    private func signers(of tokens: [SASToken]) -> [Signer] {
        var signers = [Signer](repeating: .unknown, count: tokens.count)
        var triedCounts = [Int](repeating: 0, count: tokens.count)
        for (keyIndex, key) in keys.enumerated() {
            let name = Array(key.name.utf8)
            let named = tokens.indices.filter { index in
                tokens[index].headerValue.withBytes { tokens[index].names(name.span, in: $0) }
            }
            for (index, isGenuine) in zip(named, verdicts(on: tokens, named, key.authenticator)) {
                signers[index] = signers[index].trying(keyIndex, isGenuine)
                triedCounts[index] += 1
            }
        }
        for (round, decoy) in decoys.enumerated() {
            _ = verdicts(on: tokens, tokens.indices.filter { triedCounts[$0] <= round }, decoy)
        }
        return signers
    }

    /// Returns whether a key signed each of the tokens at some indices.
    private func verdicts(on tokens: [SASToken], _ indices: [Int], _ authenticator: Authenticator) -> [Bool] {
        if indices.isEmpty { return [] }
        let byteCount = indices.reduce(0) { $0 + StringToSign(tokens[$1]).byteCount }
        var messages = JoinedMessages(minimumCapacity: indices.count, byteCount: byteCount)
        for index in indices {
            StringToSign(tokens[index]).withParts { messages.append(joining: $0, StringToSign.lineFeed, $1) }
        }
        let codes = authenticator.codes(of: messages)
        return indices.indices.map { codes[$0] == tokens[indices[$0]].signature }
    }
}

extension Authenticator {
    /// Returns the authentication codes of many messages, computed in parallel for a key in memory.
    fileprivate func codes(of messages: JoinedMessages) -> [HMAC.AuthenticationCode] {
        switch self {
        case .key(let key): key.authenticationCodes(for: messages)
        case .closure(let closure): messages.map { Self.code(closure(Array(copying: $0))) }
        }
    }
}
