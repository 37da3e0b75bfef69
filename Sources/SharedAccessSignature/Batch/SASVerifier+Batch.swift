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

    /// Returns the signer of each token, as for a single token.
    private func signers(of tokens: [SASToken]) -> [Signer] {
        let (messages, named) = prepare(tokens)
        var signers = [Signer](repeating: .unknown, count: tokens.count)
        for keyIndex in keys.indices {
            keys[keyIndex].secret.forEachAuthenticationCode(of: messages, at: named[keyIndex]) { index, code in
                signers[index] = signers[index].trying(keyIndex, code == tokens[index].signature)
            }
        }
        let unknown = signers.indices.filter { if case .unknown = signers[$0] { true } else { false } }
        decoy.forEachAuthenticationCode(of: messages, at: unknown) { index, code in
            _ = code == tokens[index].signature
        }
        return signers
    }

    /// Returns the strings to sign, and the indices of the tokens that name each key.
    private func prepare(_ tokens: [SASToken]) -> (JoinedMessages, named: [[Int]]) {
        let byteCount = tokens.indices.reduce(0) { $0 + StringToSign.byteCount(of: tokens[$1]) }
        var messages = JoinedMessages(minimumCapacity: tokens.count, byteCount: byteCount)
        var named = [[Int]](repeating: [], count: keys.count)
        for index in tokens.indices {
            tokens[index].headerValue.withBytes { text in
                messages.append(
                    joining: text.extracting(tokens[index].rawResource), StringToSign.separator,
                    text.extracting(tokens[index].rawExpiry))
                let names = names.span
                for keyIndex in names.indices
                where SASToken.isName(tokens[index].rawKeyName, of: text, equalTo: names[keyIndex].span) {
                    if named[keyIndex].isEmpty { named[keyIndex].reserveCapacity(tokens.count) }
                    named[keyIndex].append(index)
                }
            }
        }
        return (messages, named)
    }
}
