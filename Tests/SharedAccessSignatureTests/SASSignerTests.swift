import HubCrypto
import HubTestSupport
import HubText
import SharedAccessSignature
import Testing

@Suite struct SASSignerTests {
    let key = SharedAccessKey(name: "a rule/ö", secret: "secret")

    @Test func `signs a hub's URL in lower case without a port`() throws {
        let signer = try SASSigner(key: key, endpoint: try ServiceEndpoint("sb://Contoso.net:444"), hubName: "Push")
        #expect(signer.token(expiringAt: 1).unverifiedClaims.resource == "https://contoso.net/push")
    }

    @Test func `signs for a hub with a connection string's key`() throws {
        let text = "Endpoint=sb://contoso.net/;SharedAccessKeyName=a rule/ö;SharedAccessKey=secret"
        let signer = try SASSigner(connectionString: text, hubName: "push")
        let same = try SASSigner(key: key, endpoint: ServiceEndpoint("sb://contoso.net"), hubName: "push")
        #expect(signer.token(expiringAt: 1).headerValue == same.token(expiringAt: 1).headerValue)
    }

    @Test func `signs the string to sign`() throws {
        let text = StringToSign(resource: "https%3A%2F%2Fh%2Fhub", expiry: 7)
        #expect("\(text)" == "https%3A%2F%2Fh%2Fhub\n7")
        let token = SASSigner(key: key, resource: "https://h/hub").token(expiringAt: 7)
        #expect("\(StringToSign(token))" == "\(text)")
        let code = HMAC.authenticationCode(for: Array("\(text)".utf8), using: "secret".utf8)
        let signature = try #require(token.headerValue.split(separator: "&")[1].split(separator: "sig=").first)
        let bytes = try #require(Base64.decodeLenient(String(percentDecoding: signature).utf8))
        #expect(code == bytes)
    }

    @Test func `encodes reserved characters in the resource and the key name`() {
        let token = SASSigner(key: key, resource: "https://h/a~b_c-d.e %+").token(expiringAt: 7)
        #expect(token.headerValue.hasPrefix("SharedAccessSignature sr=https%3A%2F%2Fh%2Fa~b_c-d.e%20%25%2B&sig="))
        #expect(token.headerValue.hasSuffix("&se=7&skn=a%20rule%2F%C3%B6"))
    }

    @Test func `adds the lifetime to the current time`() {
        let signer = SASSigner(key: key, resource: "r")
        #expect(signer.token(validFor: .seconds(3600), now: 1000).unverifiedClaims.expiry == 4600)
        #expect(signer.token(validFor: .seconds(0), now: 0).unverifiedClaims.expiry == 0)
    }

    @Test(arguments: ["", "a/../b", "push ", "pu\u{308}sh", ".", "..", String(repeating: "h", count: 261)])
    func `rejects an invalid hub name`(hub: String) throws {
        let endpoint = try ServiceEndpoint("sb://h/")
        let error = #expect(throws: ConnectionStringError.self) {
            try SASSigner(key: key, endpoint: endpoint, hubName: hub)
        }
        #expect(error?.code == .invalidHubName)
    }

    @Test func `limits the expiry to nonnegative 64-bit integers`() {
        let signer = SASSigner(key: key, resource: "r")
        #expect(signer.token(validFor: .seconds(Int64.max), now: 5).unverifiedClaims.expiry == .max)
        #expect(signer.token(validFor: .seconds(-10), now: 5).unverifiedClaims.expiry == 0)
        #expect(signer.token(validFor: .seconds(Int64.min), now: -1).unverifiedClaims.expiry == 0)
    }

    @Test(.blocking) func `traps for a negative expiry`() async {
        #expect(SASBatchSigner(key: key, resources: ["r"]).tokens(expiringAt: 0).map(\.unverifiedClaims.expiry) == [0])
        await #expect(processExitsWith: .failure) {
            _ = SASSigner(key: SharedAccessKey(name: "n", secret: "k"), resource: "r").token(expiringAt: -1)
        }
        await #expect(processExitsWith: .failure) {
            _ = SASBatchSigner(key: SharedAccessKey(name: "n", secret: "k"), resources: ["r"]).tokens(expiringAt: -1)
        }
    }

    /// Covers message lengths around SHA-256 block boundaries, and short and long expiries.
    @Test func `signs verifiable tokens for resources and expiries of any length`() throws {
        for length in 0..<200 {
            let resource = String(repeating: "r", count: length + 1)
            let verifier = SASVerifier(keys: [key])
            for expiry: Int64 in [0, 9, 10, 99_999_999, 1_700_000_000, .max] {
                let signed = SASSigner(key: key, resource: resource).token(expiringAt: expiry)
                let parsed = try SASToken(signed.headerValue)
                #expect(parsed.unverifiedClaims.resource == resource)
                #expect(parsed.unverifiedClaims.keyName == key.name)
                #expect(parsed.unverifiedClaims.expiry == expiry)
                _ = try verifier.verify(parsed, for: SASResource(resource), now: expiry - 1)
                _ = try verifier.verify(signed, for: SASResource(resource), now: expiry - 1)
            }
        }
    }

    @Test(arguments: [0, 1, 2, 15, 16, 17, 33, 100])
    func `signs a batch like individual tokens`(count: Int) {
        let resources = (0..<count).map { "https://h/" + String(repeating: "x", count: $0 * 3) }
        for encoding in [SASEncoding.standard, .python] {
            let batch = SASBatchSigner(key: key, resources: resources, encoding: encoding)
            let single = resources.map {
                SASSigner(key: key, resource: $0, encoding: encoding).token(validFor: .seconds(5), now: 100)
            }
            let texts = single.map(\.headerValue)
            let tokens = batch.tokens(validFor: .seconds(5), now: 100)
            #expect(tokens.map(\.headerValue) == texts)
            #expect(tokens.map(\.unverifiedClaims) == single.map(\.unverifiedClaims))
            let bytes = tokens.indices.map {
                tokens.withHeaderValue(at: $0) { text in text.indices.map { text[$0] } }
            }
            #expect(bytes == texts.map { Array($0.utf8) })
        }
    }
}
