import HubTestSupport
@testable import SharedAccessSignature
import Testing

/// Tokens with known texts, made by other libraries.
enum KnownTokens {
    static let all = Result {
        try Vectors.cases(
            "sas/tokens.vectors", fields: ["key", "keyName", "resource", "expiry", "token", "canonical"])
    }

    static func key(_ token: Vectors.Case) throws -> SharedAccessKey {
        SharedAccessKey(name: try token.text("keyName"), secret: try token.text("key"))
    }
}

@Suite struct SASSignerTests {
    @Test(arguments: try KnownTokens.all.get().filter { try $0.text("canonical") == "yes" })
    func `makes the tokens that other libraries make in the same form`(known: Vectors.Case) throws {
        let signer = SASSigner(key: try KnownTokens.key(known), resource: try known.text("resource"))
        let expiry = try #require(Int64(try known.text("expiry")))
        #expect(signer.token(expiringAt: expiry).headerValue == (try known.text("token")))
    }

    let key = SharedAccessKey(name: "a rule/ö", secret: "secret")

    @Test func `signs a hub as its URL in lower case, without a port`() throws {
        let signer = try SASSigner(key: key, endpoint: try ServiceEndpoint("sb://Contoso.net:444"), hub: "Push")
        #expect(signer.token(expiringAt: 1).unverifiedClaims.resource == "https://contoso.net/push")
    }

    @Test func `encodes what is not unreserved, in the resource and in the key's name`() {
        let token = SASSigner(key: key, resource: "https://h/a~b_c-d.e %+").token(expiringAt: 7)
        #expect(token.headerValue.hasPrefix("SharedAccessSignature sr=https%3A%2F%2Fh%2Fa~b_c-d.e%20%25%2B&sig="))
        #expect(token.headerValue.hasSuffix("&se=7&skn=a%20rule%2F%C3%B6"))
    }

    @Test func `adds a lifetime to the time that it is given`() {
        let signer = SASSigner(key: key, resource: "r")
        #expect(signer.token(validFor: .seconds(3600), now: 1000).unverifiedClaims.expiry == 4600)
        #expect(signer.token(validFor: .seconds(0), now: 0).unverifiedClaims.expiry == 0)
    }

    @Test(arguments: ["", "a/../b", "push ", "pu\u{308}sh"])
    func `signs for no hub that cannot be`(hub: String) throws {
        let endpoint = try ServiceEndpoint("sb://h/")
        #expect(throws: SASSigner.InvalidHubName.self) { try SASSigner(key: key, endpoint: endpoint, hub: hub) }
    }

    @Test func `stays within the seconds that there are`() {
        let signer = SASSigner(key: key, resource: "r")
        #expect(signer.token(validFor: .seconds(Int64.max), now: 5).unverifiedClaims.expiry == .max)
        #expect(signer.token(validFor: .seconds(-10), now: 5).unverifiedClaims.expiry == 0)
        let source = SASTokenSource(signer: signer, lifetime: .seconds(Int64.max))
        #expect(source.token(now: 5).unverifiedClaims.expiry == .max)
    }

    @Test func `makes tokens that can be read back`() throws {
        let made = SASSigner(key: key, resource: "https://h/hub").token(expiringAt: 1_700_000_000)
        let read = try SASToken(made.headerValue)
        #expect(read.unverifiedClaims == made.unverifiedClaims)
        #expect(
            read.unverifiedClaims == SASClaims(resource: "https://h/hub", keyName: "a rule/ö", expiry: 1_700_000_000))
    }
}
