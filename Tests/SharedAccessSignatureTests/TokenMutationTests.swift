import SharedAccessSignature
import Testing

/// Accepted are just those mutants of a valid token whose raw `sr`, raw `se` and decoded `sig` are what they were, and whose
/// `skn` names the same key.
@Suite struct TokenMutationTests {
    static let keyName = "rule+one"
    static let verifier = SASVerifier(keys: [SharedAccessKey(name: keyName, secret: "secret")])
    static let signer = SASSigner(key: SharedAccessKey(name: keyName, secret: "secret"), resource: "https://h.net/hub")
    /// Its signature has all three escapes.
    static let token = (1_700_000_000...1_700_001_000).lazy
        .map { signer.token(expiringAt: $0).headerValue }
        .first { $0.contains("%2B") && $0.dropFirst(60).contains("%2F") }

    let text: [UInt8]
    let resource: SASResource

    init() throws {
        text = Array(try #require(Self.token).utf8)
        resource = try SASResource("https://h.net/hub")
    }

    @Test func `any byte removed`() throws {
        try expectVerdicts(accepted: 0) { position in [Array(text[..<position] + text[(position + 1)...])] }
    }

    @Test func `any byte doubled`() throws {
        try expectVerdicts(accepted: 1) { position in [Array(text[...position] + text[position...])] }
    }

    @Test func `any byte made any other of ASCII`() throws {
        try expectVerdicts(accepted: 34) { position in
            (UInt8(0)..<0x80).filter { $0 != text[position] }.map { byte in
                var mutant = text
                mutant[position] = byte
                return mutant
            }
        }
    }

    @Test func `cut off anywhere`() throws {
        try expectVerdicts(accepted: 0) { position in [Array(text[..<position])] }
    }

    @Test func `bytes inserted anywhere`() throws {
        try expectVerdicts(accepted: 2) { position in
            ["%", "&", "=", "+", " ", "\n", "\u{0}", "\u{1}", "ö", "&sr=", "&se=9999999999", "%00", "/"].map {
                Array(text[..<position] + $0.utf8 + text[position...])
            }
        }
    }

    /// Makes mutants at each position, and compares the verifier's verdict on each with what the texts say.
    ///
    /// - Parameter accepted: how many of them are to be valid.
    private func expectVerdicts(accepted: Int, _ mutants: (Int) -> [[UInt8]]) throws {
        let original = try #require(Fields(text))
        #expect(isAccepted(text))
        var acceptedCount = 0
        var refusedCount = 0
        for position in text.indices {
            for mutant in mutants(position) {
                let isSame = Fields(mutant).map { $0.saysTheSame(as: original) } ?? false
                let isAccepted = isAccepted(mutant)
                #expect(isAccepted == isSame, "\(position): \(String(decoding: mutant, as: UTF8.self))")
                if isAccepted { acceptedCount += 1 } else { refusedCount += 1 }
            }
        }
        #expect(refusedCount > 100)
        #expect(acceptedCount == accepted)
    }

    private func isAccepted(_ mutant: [UInt8]) -> Bool {
        guard let token = try? SASToken(String(decoding: mutant, as: UTF8.self)) else { return false }
        return (try? Self.verifier.verify(token, for: resource, now: 1_600_000_000)) != nil
    }
}

/// A token's fields, taken apart by other means than the library's.
private struct Fields {
    private let values: [String: String]

    /// `nil` if the text has other fields than the four, or not each once.
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

    func saysTheSame(as other: Fields) -> Bool {
        values["sr"] == other.values["sr"] && values["se"] == other.values["se"]
            && Self.decoded(values["sig"]) == Self.decoded(other.values["sig"])
            && [values["skn"], Self.decoded(values["skn"])].contains(TokenMutationTests.keyName)
    }

    /// Percent-decoded; `nil` where an escape is broken, or hides what is not ASCII.
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
