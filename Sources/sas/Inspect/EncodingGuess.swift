import HubText
import SharedAccessSignature

/// A guess at the library that made a token, from its encoding.
enum EncodingGuess {
    /// Returns the names of the encodings that produce the same `sr` and `skn`, and the same escapes in `sig`. A device's token
    /// has no `skn`.
    static func names(_ token: RawToken) -> [String] {
        guard let resource = token.value("sr"), let signature = token.value("sig") else { return [] }
        let keyName = token.value("skn") ?? []
        let resources = RawToken.decodings(of: resource).compactMap { String(strictUTF8: $0) }
        let names = RawToken.decodings(of: keyName).compactMap { String(strictUTF8: $0) }
        return SASEncoding.allCases.filter { encoding in
            resources.contains { url in
                names.contains { name in
                    let sample = sampleToken(url, name, encoding, expiry: 0)
                    return sample.value("sr") == resource && sample.value("skn") ?? [] == keyName
                }
            } && hasEscapes(of: encoding, signature)
        }.map(\.rawValue)
    }

    /// Returns a token for the claims, signed with an arbitrary key.
    private static func sampleToken(
        _ resource: String, _ keyName: String, _ encoding: SASEncoding, expiry: Int64
    ) -> RawToken {
        let key = SharedAccessKey(name: keyName, secret: "any")
        let token = SASSigner(key: key, resource: resource, encoding: encoding).token(expiringAt: expiry)
        return RawToken(TokenInput(Array(token.headerValue.utf8)))
    }

    /// Returns whether a signature escapes `+`, `/` and `=` in the same way as sample signatures of an encoding.
    private static func hasEscapes(of encoding: SASEncoding, _ signature: ArraySlice<UInt8>) -> Bool {
        var known: [UInt8: [UInt8]] = [:]
        for expiry in 0..<Int64(64) where known.count < 3 {
            let value = sampleToken("a", "a", encoding, expiry: expiry).value("sig") ?? []
            known.merge(spellings(in: value)) { first, _ in first }
        }
        return spellings(in: signature).allSatisfy { character, spelling in known[character] == spelling }
    }

    /// Returns the spelling in a signature of each `+`, `/` and `=` that it contains.
    private static func spellings(in signature: ArraySlice<UInt8>) -> [UInt8: [UInt8]] {
        var spellings: [UInt8: [UInt8]] = [:]
        var rest = signature
        while let first = rest.first {
            let spelling = Array(rest.prefix(first == UInt8(ascii: "%") ? 3 : 1))
            rest = rest.dropFirst(spelling.count)
            let decoded = PercentDecoded(spelling, readsPlusAsSpace: false).bytes
            if let character = decoded.first, "+/=".utf8.contains(character) { spellings[character] = spelling }
        }
        return spellings
    }
}
