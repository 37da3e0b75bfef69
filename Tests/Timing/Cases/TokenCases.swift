import SharedAccessSignature

/// The verification of tokens. All tokens are invalid, in the same way.
///
/// The time to parse a token is not measured: it can depend on the token's text, which the sender knows. Inputs of both
/// classes are created with the same allocations.
enum TokenCases {
    static var all: [Case] { [signature, secret] }

    /// The verification of a parsed token: its signature is wrong only in its last bits, or random.
    private static var signature: Case {
        Case("sas-verifier/signature") {
            let key = key(secret: Array("the verifier's secret".utf8))
            let (verifier, resource, text) = (SASVerifier(keys: [key]), try SASResource(url), try TokenText(key))
            _ = try verifier.verify(text.token(with: text.signature), for: resource, now: now)

            var nearMiss = text.signature
            nearMiss[42] = Base64.lastCharacters.first { $0 != nearMiss[42] } ?? 0
            return try ValueSubject { isFixed, generator in
                var signature = Base64.text(count: 42, of: Base64.characters, &generator)
                signature += Base64.text(count: 1, of: Base64.lastCharacters, &generator)
                if isFixed { for index in signature.indices { signature[index] = nearMiss[index] } }
                return try text.token(with: signature)
            } operation: { token in
                (try? verifier.verify(token, for: resource, now: now)) == nil
            }
        }
    }

    /// The verification of one token with different keys: all characters of the secret are equal, or random.
    private static var secret: Case {
        Case("sas-verifier/secret") {
            let resource = try SASResource(url)
            let text = try TokenText(key(secret: Array("another secret".utf8)))
            let token = try text.token(with: text.signature)
            return try ValueSubject { isFixed, generator in
                var secret = Base64.text(count: 44, of: Base64.characters, &generator)
                if isFixed { for index in secret.indices { secret[index] = Base64.characters[0] } }
                return SASVerifier(keys: [key(secret: secret)])
            } operation: { verifier in
                (try? verifier.verify(token, for: resource, now: now)) == nil
            }
        }
    }

    private static let url = "https://contoso-prod.servicebus.windows.net/push-hub"
    private static let now: Int64 = 1_790_000_000

    private static func key(secret: [UInt8]) -> SharedAccessKey {
        SharedAccessKey(name: "DefaultFullSharedAccessSignature", secret: String(decoding: secret, as: UTF8.self))
    }

    /// The text of a token, whose signature can be replaced.
    private struct TokenText {
        /// The characters of the signature, without the padding.
        let signature: [UInt8]
        private let start: [UInt8]
        private let end: [UInt8]

        /// Creates the text of a token whose signature contains no escapes, except for the padding.
        init(_ key: SharedAccessKey) throws {
            let signer = SASSigner(key: key, resource: url)
            for expiry in now + 60..<now + 10_000 {
                let text = Array(signer.token(expiringAt: expiry).headerValue.utf8)
                guard let field = text.firstRange(of: "&sig=".utf8),
                    let padding = text.firstRange(of: "%3D&".utf8),
                    padding.lowerBound == field.upperBound + 43
                else { continue }
                signature = Array(text[field.upperBound..<padding.lowerBound])
                start = Array(text[..<field.upperBound])
                end = Array(text[padding.lowerBound...])
                return
            }
            throw CaseError("no signature without escapes")
        }

        func token(with signature: [UInt8]) throws -> SASToken {
            try SASToken(String(decoding: start + signature + end, as: UTF8.self))
        }
    }
}

/// The characters of Base64 (RFC 4648 §4).
private enum Base64 {
    static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    /// The characters that can end the text of 32 bytes, because their last two bits are zero.
    static let lastCharacters = stride(from: 0, to: 64, by: 4).map { characters[$0] }

    /// Returns random characters.
    static func text(count: Int, of characters: [UInt8], _ generator: inout Generator) -> [UInt8] {
        (0..<count).map { _ in characters[Int(generator.next() >> 32) & (characters.count - 1)] }
    }
}
