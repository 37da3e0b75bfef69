import HubCrypto

extension SASVerifier {
    /// What each of many tokens grants, in their order: the same verdicts as token by token, but the signatures are made side
    /// by side, as many as the processor makes at once.
    ///
    /// - Parameters:
    ///   - tokens: the tokens.
    ///   - resource: what access is asked for.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    public func verify(
        batch tokens: [SASToken], for resource: SASResource, now: Int64? = nil
    ) -> [Result<SASClaims, Refusal>] {
        let now = now ?? SystemClock.now()
        let signers = signers(of: tokens)
        return zip(tokens, signers).map { token, signer in
            token.headerValue.withBytes { text in
                Result { () throws(Refusal) in
                    try claims(of: token, text, signer, for: resource, now: now)
                }
            }
        }
    }

    private func signers(of tokens: [SASToken]) -> [Signer] {
        let messages = StringsToSign(tokens)
        var signers = [Signer](repeating: .unknown, count: tokens.count)
        var triedCounts = [Int](repeating: 0, count: tokens.count)
        func check(_ indices: [Int], _ authenticator: Authenticator, _ note: (Int, Bool) -> Void) {
            guard !indices.isEmpty else { return }
            let codes = authenticator.codes(of: indices.map { messages[$0] })
            for (index, code) in zip(indices, codes) {
                triedCounts[index] += 1
                note(index, code == tokens[index].signature)
            }
        }
        for key in keys {
            let named = tokens.indices.filter { index in
                tokens[index].headerValue.withBytes { tokens[index].names(key.name, in: $0) }
            }
            check(named, key.authenticator) { index, isGenuine in
                signers[index] = signers[index].trying(key, isGenuine)
            }
        }
        for round in 0..<candidateCount {
            check(tokens.indices.filter { triedCounts[$0] <= round }, decoy) { _, _ in }
        }
        return signers
    }
}

/// The strings that tokens' signatures are made of, in one piece of memory.
private struct StringsToSign {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    init(_ tokens: [SASToken]) {
        for token in tokens {
            token.headerValue.withBytes { text in
                bytes.append(contentsOf: text.extracting(token.rawResource))
                bytes += SASToken.separator
                bytes.append(contentsOf: text.extracting(token.rawExpiry))
            }
            ends.append(bytes.count)
        }
    }

    subscript(index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }
}
