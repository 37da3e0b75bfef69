import HubTestSupport
import SharedAccessSignature
import Testing

@Suite struct SASVerifierTests {
    @Test(arguments: try KnownToken.all.get())
    func `accepts the tokens of other libraries`(known: KnownToken) throws {
        let verifier = SASVerifier(keys: [SharedAccessKey(name: "other", secret: "other"), known.key])
        let resource = try SASResource(known.url)
        let claims = try verifier.verify(SASToken(known.token), for: resource, now: known.expiry - 1)
        #expect(claims.keyName == known.key.name)
        #expect(claims.expiry == known.expiry)
        #expect(rejectionCodes(verifier, try SASToken(known.token), for: resource, now: known.expiry) == [.expired])
    }

    static let primary = SharedAccessKey(name: "rule", secret: "primary")
    static let secondary = SharedAccessKey(name: "rule", secret: "secondary")
    static let hub = Result { try SASResource("https://h.net/hub") }
    static let signer = SASSigner(key: primary, resource: "https://h.net/hub")
    let verifier = SASVerifier(keys: [primary, secondary])
    let hub: SASResource

    init() throws {
        hub = try Self.hub.get()
    }

    @Test(arguments: [primary, secondary])
    func `accepts both keys of a policy`(key: SharedAccessKey) throws {
        let token = SASSigner(key: key, resource: "https://h.net/hub").token(expiringAt: 100)
        _ = try verifier.verify(token, for: hub, now: 99)
    }

    @Test func `rejects a token at its expiry plus the leeway`() throws {
        let token = Self.signer.token(expiringAt: 100)
        #expect(rejectionCodes(verifier, token, now: 100) == [.expired])
        let lenient = SASVerifier(keys: [Self.primary], leeway: .seconds(30))
        #expect(rejectionCodes(lenient, token, now: 129) == nil)
        #expect(rejectionCodes(lenient, token, now: 130) == [.expired])
    }

    @Test func `accepts the largest expiry, leeway and lifetime`() throws {
        let lenient = SASVerifier(
            keys: [Self.primary], leeway: .seconds(Int64.max), maximumLifetime: .seconds(Int64.max))
        let token = Self.signer.token(expiringAt: .max)
        #expect(rejectionCodes(lenient, token, now: .max - 1) == nil)
        #expect(rejectionCodes(lenient, token, now: 5) == nil)
    }

    @Test func `rejects a token that exceeds the maximum lifetime`() throws {
        let strict = SASVerifier(keys: [Self.primary], leeway: .zero, maximumLifetime: .seconds(60))
        #expect(rejectionCodes(strict, Self.signer.token(expiringAt: 160), now: 100) == nil)
        #expect(rejectionCodes(strict, Self.signer.token(expiringAt: 161), now: 100) == [.lifetimeTooLong])
    }

    @Test(.blocking) func `traps for negative durations`() async {
        await #expect(processExitsWith: .failure) { _ = SASVerifier(keys: [], leeway: .seconds(-1)) }
        await #expect(processExitsWith: .failure) { _ = SASVerifier(keys: [], maximumLifetime: .milliseconds(-1)) }
    }

    @Test func `verifies a header and reports a missing one`() throws {
        let header = Self.signer.token(expiringAt: 9).headerValue
        #expect(try verifier.verify(authorization: header, for: hub, now: 1).expiry == 9)
        for (text, code) in [(nil, .missing), ("Bearer x", .invalidScheme)] as [(String?, SASTokenError.Code)] {
            let error = #expect(throws: SASTokenError.self) {
                try verifier.verify(authorization: text, for: hub, now: 1)
            }
            #expect(error?.codes == [code])
        }
    }

    @Test func `throws the same error type for parsing and verifying`() {
        do {
            _ = try verifier.verify(SASToken("x"), for: hub, now: 1)
            Issue.record("expected an error")
        } catch {
            #expect(error.code == .invalidScheme)
        }
    }

    @Test func `returns equal claims for equivalent tokens`() throws {
        let signers = [SASEncoding.standard, .go].map {
            SASSigner(key: Self.primary, resource: "https://h.net/hub", encoding: $0)
        }
        let claims = try signers.map { try verifier.verify($0.token(expiringAt: 9), for: hub, now: 1) }
        #expect(Set(claims).count == 1)
        #expect(try claims[0] != verifier.verify(signers[0].token(expiringAt: 8), for: hub, now: 1))
    }

    /// The text `a%20b` is one name as it is, and another one decoded.
    @Test(arguments: ["a%20b", "a b"])
    func `returns the name of the key that signed`(name: String) throws {
        let keys = ["a%20b", "a b", "e\u{301}"].map { SharedAccessKey(name: $0, secret: "secret of \($0)") }
        let key = SharedAccessKey(name: "a%20b", secret: "secret of \(name)")
        let token = SASSigner(key: key, resource: "https://h.net/hub", encoding: .verbatim).token(expiringAt: 10)
        let resource = try SASResource("https://h.net/hub")
        let verifier = SASVerifier(keys: keys)
        let batch = verifier.verify(batch: [token], for: resource, now: 0)
        for claims in [try verifier.verify(token, for: resource, now: 0), try batch[0].get()] {
            #expect(Array(claims.keyName.utf8) == Array(name.utf8))
        }
    }

    @Test func `reports every failed check`() {
        let unknown = SASSigner(key: SharedAccessKey(name: "unknown", secret: "x"), resource: "https://h.net/other")
        #expect(rejectionCodes(verifier, unknown.token(expiringAt: 1), now: 2) == [.unknownKey, .expired, .outOfScope])
        let forger = SASSigner(key: SharedAccessKey(name: "rule", secret: "guess"), resource: "https://h.net/hub")
        #expect(rejectionCodes(verifier, forger.token(expiringAt: 9), now: 2) == [.invalidSignature])
        #expect(rejectionCodes(SASVerifier(keys: []), forger.token(expiringAt: 9), now: 2) == [.unknownKey])
    }

    @Test func `returns the same verdicts for a batch as for individual tokens`() throws {
        let keys = [
            Self.primary, Self.secondary, SharedAccessKey(name: "other", secret: "o"),
            SharedAccessKey(name: "unknown", secret: "s"),
            SharedAccessKey(name: "fifth", secret: "secret"),
        ]
        let verifier = SASVerifier(
            keys: Array(keys[..<3]) + [keys[4]], leeway: .seconds(5), maximumLifetime: .seconds(1000))
        let tokens = (0..<100).map { index in
            let resource = ["https://h.net/hub", "https://h.net", "https://h.net/x"][index % 3]
            return SASSigner(key: keys[index % keys.count], resource: resource).token(expiringAt: Int64(index * 40))
        }
        let verdicts = verifier.verify(batch: tokens, for: hub, now: 1000)
        #expect(verdicts.count == tokens.count)
        for (token, verdict) in zip(tokens, verdicts) {
            #expect(verdict.rejectionCodes == rejectionCodes(verifier, token, now: 1000))
            if case .success(let claims) = verdict { #expect(claims.keyName == token.unverifiedClaims.keyName) }
        }
        #expect(Set(verdicts.map { $0.rejectionCodes ?? [] }).count > 5)
        #expect(verifier.verify(batch: [], for: hub).isEmpty)
    }

    private func rejectionCodes(
        _ verifier: SASVerifier, _ token: SASToken, for resource: SASResource? = nil, now: Int64
    ) -> [SASTokenError.Code]? {
        Result { () throws(SASTokenError) in
            try verifier.verify(token, for: resource ?? hub, now: now)
        }.rejectionCodes
    }
}

extension Result<SASClaims, SASTokenError> {
    /// The codes of the failed checks; `nil` for a valid token.
    fileprivate var rejectionCodes: [SASTokenError.Code]? {
        guard case .failure(let error) = self else { return nil }
        return error.codes
    }
}
