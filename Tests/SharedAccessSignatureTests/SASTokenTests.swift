import HubTestSupport
@testable import SharedAccessSignature
import Testing

@Suite struct SASTokenTests {
    static let signature = "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D"

    @Test(arguments: [
        "SharedAccessSignature sr=r&sig=\(signature)&se=5&skn=n",
        "SharedAccessSignature skn=n&se=5&sig=\(signature)&sr=r",
        "sharedaccesssignature   sr=r&sig=\(signature)&se=5&skn=n",
        "SharedAccessSignature SR=r&Sig=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g=&sE=5&SKN=%6e",
    ])
    func `reads any order, any case, and escapes or none in the signature`(text: String) throws {
        #expect(try SASToken(text).unverifiedClaims == SASClaims(resource: "r", keyName: "n", expiry: 5))
    }

    @Test(arguments: [
        ("", 0, "does not begin"),
        ("Bearer abc", 0, "does not begin"),
        ("SharedAccessSignaturesr=r", 0, "does not begin"),
        ("SharedAccessSignature ", 22, "unknown field"),
        ("SharedAccessSignature sr=r&sig=\(signature)&se=5", 82, "no skn"),
        ("SharedAccessSignature sr=r&sr=r&sig=\(signature)&se=5&skn=n", 27, "a second sr"),
        ("SharedAccessSignature sr=r&sig=\(signature)&se=5&skn=n&x=1", 89, "unknown field"),
        ("SharedAccessSignature sr=r&sig=\(signature)&se=5&skn=n&", 89, "unknown field"),
        ("SharedAccessSignature sr=&sig=\(signature)&se=5&skn=n", 22, "sr at byte 22"),
        ("SharedAccessSignature sr=%2&sig=\(signature)&se=5&skn=n", 22, "sr at byte 22"),
        ("SharedAccessSignature sr=%zz&sig=\(signature)&se=5&skn=n", 22, "sr at byte 22"),
        ("SharedAccessSignature sr=r&s\u{212a}n=n&sig=\(signature)&se=5", 27, "unknown field"),
        ("SharedAccessSignature sr=a b&sig=\(signature)&se=5&skn=n", 22, "sr at byte 22"),
        ("SharedAccessSignature sr=r&sig=\(signature)&se=-5&skn=n", 81, "se at byte 81"),
        ("SharedAccessSignature sr=r&sig=\(signature)&se=9223372036854775808&skn=n", 81, "se at byte 81"),
        ("SharedAccessSignature sr=r&sig=AAAA&se=5&skn=n", 31, "sig at byte 31"),
        ("SharedAccessSignature sr=r&sig=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0h%3D&se=5&skn=n", 31, "sig"),
        ("SharedAccessSignature sr=r&sig=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g&se=5&skn=n", 31, "sig"),
        ("SharedAccessSignature sr=" + String(repeating: "r", count: 9000), 8192, "longer than"),
    ])
    func `says what is wrong and where, without the signature`(text: String, offset: Int, message: String) {
        let error = #expect(throws: SASToken.ParseError.self) { try SASToken(text) }
        #expect(error?.offset == offset)
        #expect(error?.description.contains(message) == true)
        #expect(error?.description.contains("8UM0") == false)
    }
}

@Suite struct SASVerifierTests {
    @Test(arguments: try KnownTokens.all.get().filter { try $0.text("resource").contains("://") })
    func `takes the tokens of every official SDK`(known: Vectors.Case) throws {
        let verifier = SASVerifier(keys: [SharedAccessKey(name: "other", secret: "other"), try KnownTokens.key(known)])
        let expiry = try #require(Int64(try known.text("expiry")))
        let isAMQP = try known.text("resource").hasPrefix("amqps")
        let target =
            isAMQP
            ? "amqps://tenant.servicebus.windows.net/orders"
            : "https://my-namespace.servicebus.windows.net/MyHub/installations/ABC-123"
        let claims = try verifier.verify(SASToken(try known.text("token")), for: target, now: expiry - 1)
        #expect(claims.expiry == expiry)
    }

    static let primary = SharedAccessKey(name: "rule", secret: "primary")
    static let secondary = SharedAccessKey(name: "rule", secret: "secondary")
    static let hub = "https://h.net/hub"
    let verifier = SASVerifier(keys: [primary, secondary])

    @Test(arguments: [primary, secondary])
    func `takes either key of a rule`(key: SharedAccessKey) throws {
        let token = SASSigner(key: key, resource: Self.hub).token(expiringAt: 100)
        try verifier.verify(token, for: Self.hub, now: 99)
    }

    @Test func `counts the expiry's own second as after it, and a leeway on top`() throws {
        let token = SASSigner(key: Self.primary, resource: Self.hub).token(expiringAt: 100)
        #expect(refusal(verifier, token, now: 100) == [.expired])
        let lenient = SASVerifier(keys: [Self.primary], leeway: 30)
        #expect(refusal(lenient, token, now: 129) == nil)
        #expect(refusal(lenient, token, now: 130) == [.expired])
    }

    @Test func `survives the last second there is`() {
        let lenient = SASVerifier(keys: [Self.primary], leeway: .max)
        let token = SASSigner(key: Self.primary, resource: Self.hub).token(expiringAt: .max)
        #expect(refusal(lenient, token, now: .max - 1) == nil)
    }

    @Test func `tells every check that failed`() {
        let stranger = SASSigner(key: SharedAccessKey(name: "nobody", secret: "x"), resource: "https://h.net/other")
        #expect(refusal(verifier, stranger.token(expiringAt: 1), now: 2) == [.unknownKey, .expired, .outOfScope])
        let forger = SASSigner(key: SharedAccessKey(name: "rule", secret: "guess"), resource: Self.hub)
        #expect(refusal(verifier, forger.token(expiringAt: 9), now: 2) == [.invalidSignature])
    }

    @Test func `refuses a token with any character of what is signed changed`() throws {
        let text = SASSigner(key: Self.primary, resource: Self.hub).token(expiringAt: 1_700_000_000).headerValue
        var checkedCount = 0
        for index in text.indices where text[..<index].contains("sr=") && !text[..<index].contains("&skn") {
            var changed = text
            changed.replaceSubrange(index...index, with: text[index] == "1" ? "2" : "1")
            guard let token = try? SASToken(changed) else { continue }
            checkedCount += 1
            let reasons = refusal(verifier, token, now: 0) ?? []
            #expect(reasons.contains(.invalidSignature), "\(text.distance(from: text.startIndex, to: index))")
        }
        #expect(checkedCount > 70)
    }

    @Test(arguments: [
        ("https://h.net", hub), ("https://h.net/", hub), (hub, hub), (hub + "/", hub), (hub, hub + "/messages"),
        ("http://H.NET/HUB", hub), ("sb://h.net/hub?api-version=1", hub), (hub, "https://h.net:444/hub/"),
        ("https://h.net:444/hub", "https://h.net:444/hub"),
        ("https://h.net:443/hub", hub),
    ])
    func `covers a resource and all below it`(signed: String, asked: String) throws {
        let token = SASSigner(key: Self.primary, resource: signed).token(expiringAt: 2)
        try verifier.verify(token, for: asked, now: 1)
    }

    @Test(arguments: [
        (hub, "https://h.net"), (hub, "https://h.net/hub2"), (hub + "2", hub), (hub, "https://i.net/hub"),
        ("https://h.net:444/hub", hub), ("https://h.net.evil.net", hub), ("https://h.net@i.net/hub", hub),
        ("https://h.net/hub#x", hub), ("https://h.net/./hub", hub), ("https://h.net/x/../hub", hub),
        ("https://h.net//hub", hub), ("https://h.net\\hub", hub), ("https://h.net/%68ub", hub), ("h.net/hub", hub),
        ("https:///hub", hub), ("https://k.net/hub", "https://\u{212a}.net/hub"),
        ("https://h.net/k", "https://h.net/\u{212a}"),
        ("https://h.net/\u{e9}", "https://h.net/e\u{301}"), ("https://hö.net/hub", hub), (hub, "h.net/hub"),
        (hub, hub + "/a/../../other"),
    ])
    func `covers nothing else`(signed: String, asked: String) {
        let token = SASSigner(key: Self.primary, resource: signed).token(expiringAt: 2)
        #expect(refusal(verifier, token, for: asked, now: 1) == [.outOfScope])
    }

    private func refusal(
        _ verifier: SASVerifier, _ token: SASToken, for resource: String = hub, now: Int64
    ) -> [SASVerifier.Refusal.Reason]? {
        do {
            try verifier.verify(token, for: resource, now: now)
            return nil
        } catch {
            return error.reasons
        }
    }
}
