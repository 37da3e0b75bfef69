@testable import SharedAccessSignature

/// A token, and behind a line feed a resource, for which it is checked, and a token signed.
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
        // Spelled otherwise, the signature may take it beyond the longest token.
        guard resigned.utf8.count <= 8192 else { return }
        guard let (genuine, genuineNaive) = parse(resigned) else { fatalError("broken: signed anew, it is no token") }
        let verifying = Verifying(
            keys: fixedKeys + [own], absorbedKeys: absorbedKeys + [own.key], isStrict: naive.expiry % 2 == 0)
        let tokens = [(token, naive), (genuine, genuineNaive)] + (signed.map { [$0] } ?? [])
        for (place, now) in [
            (second.text, 1_700_000_000), (naive.resource.text, max(0, naive.expiry - 1)),
            ("https://contoso.servicebus.windows.net/push", naive.expiry),
        ] {
            guard let resource = try? SASResource(place), let naivePlace = NaiveResource(Array(place.utf8)) else {
                continue
            }
            verifying.check(tokens, resource, naivePlace, now: now)
        }
    }

    /// Two of a name, one whose name must be encoded, one whose name decodes to another.
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
            guard let naive else { fatalError("broken: a token is taken that is none") }
            return (token, naive)
        } catch {
            require(naive == nil, "a token is refused: \(error)")
            require((0...text.utf8.count).contains(error.offset ?? -1), "an error's offset is \(error.offset ?? -1)")
            return nil
        }
    }

    private static func checkTexts(_ token: SASToken, _ naive: NaiveToken, _ text: String) {
        require(token.headerValue.utf8.elementsEqual(text.utf8), "the header is not the text")
        let shown =
            "SharedAccessSignature sr=\(naive["sr"].text)&sig=(redacted)&se=\(naive["se"].text)&skn=\(naive["skn"].text)"
        require(token.description == shown && "\(token)" == shown, "a token is shown as \(token)")
        let claims = token.unverifiedClaims
        require(claims.expiry == naive.expiry, "the expiry is \(claims.expiry)")
        require(claims.keyName.utf8.elementsEqual(naive.keyName.text.utf8), "the key's name is \(claims.keyName)")
        require(claims.resource.utf8.elementsEqual(naive.resource.text.utf8), "the resource is \(claims.resource)")
    }

    /// A signed token is one, is the batch's, and lets in whom it is for.
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
            fatalError("broken: \(encoding.rawValue): signed, but no token")
        }
        require(parsed.1.signature == parsed.1.code(resource), "\(encoding.rawValue): the signature is another's")
        require(parsed.1.expiry == expiry && token.expiry == expiry, "\(encoding.rawValue): the expiry is another")
        guard let place = try? SASResource(resource), expiry > 0 else { return parsed }
        do {
            try SASVerifier(keys: [key]).verify(parsed.0, for: place, now: expiry - 1)
            try SASVerifier(keys: [key]).verify(token, for: place, now: expiry - 1)
        } catch {
            fatalError("broken: \(encoding.rawValue): the token for a resource is refused: \(error)")
        }
        return parsed
    }
}

/// The library's verdict on tokens, one by one and as a batch, against the plain one.
private struct Verifying {
    let keys: [NamedSecret]
    let absorbedKeys: [SharedAccessKey]
    /// Whether there is a leeway, and a maximum for the lifetime.
    let isStrict: Bool

    func check(
        _ tokens: [(token: SASToken, naive: NaiveToken)], _ resource: SASResource, _ naiveResource: NaiveResource,
        now: Int64
    ) {
        let (leeway, maximumLifetime) = isStrict ? (5, 1000) : (Int64(0), Int64?.none)
        let verifier = SASVerifier(
            keys: absorbedKeys, leeway: .seconds(leeway), maximumLifetime: maximumLifetime.map { .seconds($0) })
        let batch = verifier.verify(batch: tokens.map(\.token), for: resource, now: now)
        for (together, (token, naive)) in zip(batch, tokens) {
            let expected = naive.refusals(
                keys, naiveResource, now: now, leeway: leeway, maximumLifetime: maximumLifetime)
            let alone = Result { () throws(SASTokenError) in
                try verifier.verify(token, for: resource, now: now)
            }
            for verdict in [alone, together] {
                switch verdict {
                case .success(let claims):
                    require(expected.isEmpty, "accepted, but \(expected)")
                    require(claims.expiry == naive.expiry, "the claims are another token's")
                case .failure(let refusal):
                    require(refusal.codes == expected, "\(refusal.codes), but it is \(expected)")
                }
            }
        }
    }
}
