import HubTestSupport
import SharedAccessSignature
import Testing

@Suite struct SharedAccessSignatureRedactionTests {
    static let secret = "b3BlbiBzZXNhbWU="
    static let key = SharedAccessKey(name: "rule", secret: secret)
    static let signer = SASSigner(key: key, resource: "https://h/hub")
    static let token = signer.token(expiringAt: 1)

    @Test func `redacts keys and signatures`() async throws {
        let source = SASSigningSource(key: Self.key, secondary: Self.key)
        _ = source.token(for: "https://h/hub", now: 1)
        let fetching = SASFetchingSource { _ in Self.token }
        _ = try await fetching.token(for: "https://h/hub", now: 1)
        let verifier = SASVerifier(keys: [Self.key])
        let hub = try SASResource("https://h/hub")
        let text = "Endpoint=sb://h/;SharedAccessKeyName=rule;SharedAccessKey=\(Self.secret)"
        let values: [Any] = [
            Self.key, Self.signer, Self.token, try SASToken(Self.token.headerValue), source,
            verifier, try ConnectionString(text), fetching, SASBatchSigner(key: Self.key, resources: ["https://h/hub"]),
            SASBatchSigner(key: Self.key, resources: ["https://h/hub"]).tokens(expiringAt: 1),
            Self.token.unverifiedClaims,
            try verifier.verify(Self.token, for: hub, now: 0), verifier.verify(batch: [Self.token], for: hub, now: 0),
            try ConnectionString("Endpoint=sb://h/;SharedAccessSignature=\(Self.token.headerValue)"),
        ]
        let signature = try #require(Self.token.headerValue.split(separator: "sig=").last?.prefix { $0 != "&" })
        let base64 = [("%2B", "+"), ("%2F", "/"), ("%3D", "=")].reduce(String(signature)) {
            $0.replacing($1.0, with: $1.1)
        }
        for value in values {
            let printed = everythingPrinted(of: value)
            let showsSecret = printed.containsAny(of: [Self.secret, String(signature), base64, "SIMD"])
            #expect(!showsSecret, "\(type(of: value)) prints a secret")
        }
    }

    @Test func `prints claims and key names`() {
        #expect("\(SASFetchingSource { _ in Self.token })" == "SASFetchingSource")
        #expect("\(Self.key)" == "SharedAccessKey(name: \"rule\", secret: (redacted))")
        #expect("\(Self.token)" == "SharedAccessSignature sr=https%3A%2F%2Fh%2Fhub&sig=(redacted)&se=1&skn=rule")
    }
}
