import SharedAccessSignature
import Testing

/// Verifies mutants of a valid token. The verifier must accept a mutant only if its raw `sr`, raw `se` and decoded `sig` are
/// unchanged and its `skn` names the same key.
@Suite struct TokenMutationTests {
    static let keyName = "rule+one"
    static let verifier = SASVerifier(keys: [SharedAccessKey(name: keyName, secret: "secret")])
    static let signer = SASSigner(key: SharedAccessKey(name: keyName, secret: "secret"), resource: "https://h.net/hub")
    /// A token whose signature contains all three escapes.
    static let token = (1_700_000_000...1_700_001_000).lazy
        .map { signer.token(expiringAt: $0).headerValue }
        .first { $0.contains("%2B") && $0.dropFirst(60).contains("%2F") }

    let text: [UInt8]
    let resource: SASResource

    init() throws {
        text = Array(try #require(Self.token).utf8)
        resource = try SASResource("https://h.net/hub")
    }

    @Test func `rejects a token with a byte removed`() throws {
        try expectVerdicts(accepted: 0) { position in [Array(text[..<position] + text[(position + 1)...])] }
    }

    @Test func `rejects a token with a byte doubled, except in equivalent spellings`() throws {
        try expectVerdicts(accepted: 1) { position in [Array(text[...position] + text[position...])] }
    }

    @Test func `rejects a token with a byte replaced, except in equivalent spellings`() throws {
        try expectVerdicts(accepted: 34) { position in
            (UInt8(0)..<0x80).filter { $0 != text[position] }.map { byte in
                var mutant = text
                mutant[position] = byte
                return mutant
            }
        }
    }

    @Test func `rejects a truncated token`() throws {
        try expectVerdicts(accepted: 0) { position in [Array(text[..<position])] }
    }

    @Test func `rejects a token with bytes inserted, except in equivalent spellings`() throws {
        try expectVerdicts(accepted: 2) { position in
            ["%", "&", "=", "+", " ", "\n", "\u{0}", "\u{1}", "ö", "&sr=", "&se=9999999999", "%00", "/"].map {
                Array(text[..<position] + $0.utf8 + text[position...])
            }
        }
    }

    /// Creates mutants at each position and compares the verifier's verdict with a comparison of their fields.
    ///
    /// - Parameter accepted: The expected number of accepted mutants.
    private func expectVerdicts(accepted: Int, _ mutants: (Int) -> [[UInt8]]) throws {
        let original = try #require(Fields(text))
        #expect(isAccepted(text))
        var acceptedCount = 0
        var rejectedCount = 0
        for position in text.indices {
            for mutant in mutants(position) {
                let isEquivalent = Fields(mutant).map { $0.isEquivalent(to: original) } ?? false
                let isAccepted = isAccepted(mutant)
                // A mutant can be a valid token, which the message must not show.
                let byte = mutant.indices.contains(position) ? "byte \(mutant[position])" : "no byte"
                #expect(isAccepted == isEquivalent, "\(byte) at \(position)")
                if isAccepted { acceptedCount += 1 } else { rejectedCount += 1 }
            }
        }
        #expect(rejectedCount > 100)
        #expect(acceptedCount == accepted)
    }

    private func isAccepted(_ mutant: [UInt8]) -> Bool {
        guard let token = try? SASToken(String(decoding: mutant, as: UTF8.self)) else { return false }
        return (try? Self.verifier.verify(token, for: resource, now: 1_600_000_000)) != nil
    }
}

/// A token's fields, parsed without the library.
private struct Fields {
    private let values: [String: String]

    /// Parses a token; `nil` unless it has each of the four fields once and no others.
    init?(_ text: [UInt8]) {
        let text = String(decoding: text, as: UTF8.self)
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let space = text.firstIndex(of: " "),
            text[..<space].lowercased() == "sharedaccesssignature"
        else { return nil }
        var values: [String: String] = [:]
        for field in text[space...].drop(while: { $0 == " " }).split(separator: "&", omittingEmptySubsequences: false) {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, values.updateValue(String(parts[1]), forKey: parts[0].lowercased()) == nil else {
                return nil
            }
        }
        guard values.keys.sorted() == ["se", "sig", "skn", "sr"] else { return nil }
        self.values = values
    }

    func isEquivalent(to other: Fields) -> Bool {
        values["sr"] == other.values["sr"] && values["se"] == other.values["se"]
            && Self.decoded(values["sig"]) == Self.decoded(other.values["sig"])
            && [values["skn"], Self.decoded(values["skn"])].contains(TokenMutationTests.keyName)
    }

    /// Returns the percent-decoded text; `nil` for an invalid escape or an escaped non-ASCII byte.
    private static func decoded(_ text: String?) -> String? {
        guard var rest = text?[...] else { return nil }
        var decoded = ""
        while let character = rest.popFirst() {
            guard character == "%" else {
                decoded.append(character)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy(\.isHexDigit), let byte = UInt8(digits, radix: 16), byte < 0x80
            else { return nil }
            decoded.unicodeScalars.append(UnicodeScalar(byte))
            rest = rest.dropFirst(2)
        }
        return decoded
    }
}
