import HubText
import SharedAccessSignature

/// The libraries that would encode a token's claims like this.
enum EncodingGuess {
    /// The names of the encodings with the same `sr` and `skn`, and the same escapes in `sig`.
    static func names(_ token: RawToken) -> [String] {
        guard let resource = token.value("sr"), let keyName = token.value("skn"), let signature = token.value("sig")
        else { return [] }
        let resources = RawToken.readings(of: resource).compactMap { String(strictUTF8: $0) }
        let names = RawToken.readings(of: keyName).compactMap { String(strictUTF8: $0) }
        return SASEncoding.allCases.filter { encoding in
            resources.contains { url in
                names.contains { name in
                    let spelled = spelling(of: url, name, encoding, expiry: 0)
                    return spelled.value("sr") == resource && spelled.value("skn") == keyName
                }
            } && agrees(signature, encoding)
        }.map(\.rawValue)
    }

    private static func spelling(
        of resource: String, _ keyName: String, _ encoding: SASEncoding, expiry: Int64
    ) -> RawToken {
        let key = SharedAccessKey(name: keyName, secret: "any")
        let token = SASSigner(key: key, resource: resource, encoding: encoding).token(expiringAt: expiry)
        return RawToken(Array(token.headerValue.utf8))
    }

    /// Whether an encoding writes all marks of a signature in the same way, compared with sample signatures.
    private static func agrees(_ signature: ArraySlice<UInt8>, _ encoding: SASEncoding) -> Bool {
        var known: [UInt8: [UInt8]] = [:]
        for expiry in 0..<Int64(64) where known.count < 3 {
            let value = spelling(of: "a", "a", encoding, expiry: expiry).value("sig") ?? []
            known.merge(marks(of: value)) { first, _ in first }
        }
        return marks(of: signature).allSatisfy { mark, spelling in known[mark] == spelling }
    }

    /// The spelling of each `+`, `/` and `=` that a signature contains.
    private static func marks(of signature: ArraySlice<UInt8>) -> [UInt8: [UInt8]] {
        var marks: [UInt8: [UInt8]] = [:]
        var rest = signature
        while let first = rest.first {
            let spelling = Array(rest.prefix(first == UInt8(ascii: "%") ? 3 : 1))
            rest = rest.dropFirst(spelling.count)
            let mark = PercentDecoded(spelling, readsPlusAsSpace: false).bytes
            if let mark = mark.first, "+/=".utf8.contains(mark) { marks[mark] = spelling }
        }
        return marks
    }
}
