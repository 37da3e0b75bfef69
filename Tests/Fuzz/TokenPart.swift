@testable import SharedAccessSignature

/// A fuzz test that parses the text before a line feed as a token, verifies it for the resource after the line feed, and
/// signs a token for that resource.
enum TokenPart {
    static func check(_ input: [UInt8]) {
        let (first, second) = input.halves
        let text = first.text
        let variant = input.reduce(0) { $0 + Int($1) }
        let signed =
            variant % 4 == 0 ? checkSigning(name: text, resource: second.text, variant: variant / 4) : nil
        guard let (token, naive) = parse(text) else { return }
        checkTexts(token, naive, text)

        let own = NamedSecret(name: naive.keyName.text, secret: "MOCK0own0key")
        let resigned = naive.text(signature: naive.code(own.secret))
        // Another spelling of the signature can exceed the maximum length of a token.
        guard resigned.utf8.count <= 8192 else { return }
        guard let (genuine, genuineNaive) = parse(resigned) else {
            fatalError("fuzz failure: the re-signed token is invalid")
        }
        let verification = Verification(
            keys: fixedKeys + [own], absorbedKeys: absorbedKeys + [own.key], isStrict: naive.expiry % 2 == 0)
        let tokens = [(token, naive), (genuine, genuineNaive)] + (signed.map { [$0] } ?? [])
        for (text, now) in [
            (second.text, 1_700_000_000), (naive.resource.text, max(0, naive.expiry - 1)),
            ("https://contoso.servicebus.windows.net/push", naive.expiry),
        ] {
            guard let resource = try? SASResource(text), let naiveResource = NaiveResource(Array(text.utf8)) else {
                continue
            }
            verification.check(tokens, resource, naiveResource, now: now)
        }
    }

    /// Two keys of one name, one whose name must be encoded, and one whose name decodes to another name.
    private static let fixedKeys = [
        NamedSecret(name: "RootManage", secret: "MOCK0primary"),
        NamedSecret(name: "RootManage", secret: "MOCK0secondary"),
        NamedSecret(name: "a b+c&d", secret: "MOCK0third"), NamedSecret(name: "%41%2541", secret: "MOCK0fourth"),
    ]

    private static let absorbedKeys = fixedKeys.map(\.key)

    private static func parse(_ text: String) -> (SASToken, NaiveToken)? {
        let naive = NaiveToken(Array(text.utf8))
        do {
            let token = try SASToken(text)
            guard let naive else { fatalError("fuzz failure: an invalid token is accepted") }
            return (token, naive)
        } catch {
            require(naive == nil, "a valid token is rejected: \(error)")
            require(
                (0...text.utf8.count).contains(error.offset ?? -1),
                "error offset \(error.offset ?? -1) is outside the input")
            return nil
        }
    }

    private static func checkTexts(_ token: SASToken, _ naive: NaiveToken, _ text: String) {
        require(token.headerValue.utf8.elementsEqual(text.utf8), "wrong header value")
        let shown =
            "SharedAccessSignature sr=\(naive["sr"].text)&sig=(redacted)&se=\(naive["se"].text)&skn=\(naive["skn"].text)"
        require(token.description == shown && "\(token)" == shown, "wrong description: \(token)")
        let claims = token.unverifiedClaims
        require(claims.expiry == naive.expiry, "wrong expiry: \(claims.expiry)")
        require(claims.keyName.utf8.elementsEqual(naive.keyName.text.utf8), "wrong key name: \(claims.keyName)")
        require(claims.resource.utf8.elementsEqual(naive.resource.text.utf8), "wrong resource: \(claims.resource)")
    }

    /// Checks that a signed token parses, equals the batch's token and is accepted for its resource.
    private static func checkSigning(name: String, resource: String, variant: Int) -> (SASToken, NaiveToken)? {
        guard !name.isEmpty, !resource.isEmpty, name.utf8.count < 1000, resource.utf8.count < 1000 else { return nil }
        let encoding = SASEncoding.allCases[variant % SASEncoding.allCases.count]
        let secret = NamedSecret(name: name, secret: resource)
        let key = secret.key
        let expiry = Int64(variant) << (variant % 48)
        let token = SASSigner(key: key, resource: resource, encoding: encoding).token(expiringAt: expiry)
        let batch = SASBatchSigner(key: key, resources: [resource, "a", resource], encoding: encoding)
        let tokens = batch.tokens(expiringAt: expiry)
        require(tokens[0].headerValue == token.headerValue, "a batch's first token differs")
        require(tokens[2].headerValue == token.headerValue, "a batch's last token differs")
        guard token.rawResource.count > 0 else { return nil }

        guard let parsed = parse(token.headerValue) else {
            fatalError("fuzz failure: \(encoding.rawValue): the signed token is invalid")
        }
        require(parsed.1.signature == parsed.1.code(resource), "\(encoding.rawValue): wrong signature")
        require(parsed.1.expiry == expiry && token.expiry == expiry, "\(encoding.rawValue): wrong expiry")
        guard let required = try? SASResource(resource), expiry > 0 else { return parsed }
        // Some encodings omit the port.
        let verifier = SASVerifier(keys: [key], ignoringPort: true)
        do {
            _ = try verifier.verify(parsed.0, for: required, now: expiry - 1)
            _ = try verifier.verify(token, for: required, now: expiry - 1)
        } catch {
            fatalError("fuzz failure: \(encoding.rawValue): the token for a resource is rejected: \(error)")
        }
        return parsed
    }
}

/// A comparison of the library's verification of tokens, one by one and as a batch, with the naive one.
private struct Verification {
    let keys: [NamedSecret]
    let absorbedKeys: [SharedAccessKey]
    /// Whether to verify with a leeway and a maximum lifetime.
    let isStrict: Bool

    func check(
        _ tokens: [(token: SASToken, naive: NaiveToken)], _ resource: SASResource, _ naiveResource: NaiveResource,
        now: Int64
    ) {
        let (leeway, maximumLifetime) = isStrict ? (5, 1000) : (Int64(0), Int64?.none)
        let verifier = SASVerifier(
            keys: absorbedKeys, leeway: .seconds(leeway), maximumLifetime: maximumLifetime.map { .seconds($0) })
        let batch = verifier.verify(batch: tokens.map(\.token), for: resource, now: now)
        for (inBatch, (token, naive)) in zip(batch, tokens) {
            let expected = naive.failedChecks(
                keys, naiveResource, now: now, leeway: leeway, maximumLifetime: maximumLifetime)
            let alone = Result { () throws(SASTokenError) in
                try verifier.verify(token, for: resource, now: now)
            }
            for result in [alone, inBatch] {
                switch result {
                case .success(let claims):
                    require(expected.isEmpty, "accepted; expected \(expected)")
                    require(claims.expiry == naive.expiry, "wrong claims")
                case .failure(let error):
                    require(error.codes == expected, "failed checks \(error.codes); expected \(expected)")
                }
            }
        }
    }
}
