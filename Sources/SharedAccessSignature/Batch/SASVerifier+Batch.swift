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
        let attempts = attempts(on: tokens)
        var verdicts: [Result<SASClaims, SASTokenError>] = []
        verdicts.reserveCapacity(tokens.count)
        for (index, token) in tokens.enumerated() {
            verdicts.append(
                Result { () throws(SASTokenError) in
                    try token.headerValue.withBytes { (text) throws(SASTokenError) in
                        try claims(of: token, text, attempts[index].signer, for: resource, now: now)
                    }
                })
        }
        return verdicts
    }

    /// The keys that were tried for a token.
    private struct Attempt {
        var signer = Signer.unknown
        var triedCount = 0
    }

    /// Tries the keys that each token names, then the decoys.
    private func attempts(on tokens: [SASToken]) -> [Attempt] {
        let (messages, named) = prepare(tokens)
        var attempts = [Attempt](repeating: Attempt(), count: tokens.count)
        for keyIndex in keys.indices {
            keys[keyIndex].authenticator.forEachCode(of: messages, at: named[keyIndex]) { index, code in
                let isGenuine = code == tokens[index].signature
                attempts[index].signer = attempts[index].signer.trying(keyIndex, isGenuine)
                attempts[index].triedCount += 1
            }
        }
        for (round, decoy) in decoys.enumerated() {
            let indices = tokens.indices.filter { attempts[$0].triedCount <= round }
            decoy.forEachCode(of: messages, at: indices) { index, code in _ = code == tokens[index].signature }
        }
        return attempts
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

extension Authenticator {
    /// Calls `body` with each of the indices and the authentication code of its message, in the order of the indices.
    ///
    /// The codes are computed in parallel for a key in memory.
    fileprivate func forEachCode(
        of messages: JoinedMessages, at indices: [Int], _ body: (Int, HMAC.AuthenticationCode) -> Void
    ) {
        switch self {
        case .key(let key): key.forEachAuthenticationCode(of: messages, at: indices, body)
        case .closure(let closure):
            for index in indices {
                body(index, Self.code(messages.withBytes(at: index) { closure(Array(copying: $0)) }))
            }
        }
    }
}
