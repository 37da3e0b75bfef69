import SharedAccessSignature
import Testing

@Suite struct SASTokenSourceTests {
    let signer = SASSigner(key: SharedAccessKey(name: "rule", secret: "secret"), resource: "https://h/hub")

    @Test func `hands out one token until five minutes before it ends`() {
        let source = SASTokenSource(signer: signer)
        #expect(source.token(now: 0).unverifiedClaims.expiry == 3600)
        #expect(source.token(now: 3299).unverifiedClaims.expiry == 3600)
        #expect(source.token(now: 3300).unverifiedClaims.expiry == 6900)
    }

    @Test func `renews a short-lived token when a quarter of its lifetime is left`() {
        let source = SASTokenSource(signer: signer, lifetime: .seconds(100))
        #expect(source.token(now: 0).unverifiedClaims.expiry == 100)
        #expect(source.token(now: 74).unverifiedClaims.expiry == 100)
        #expect(source.token(now: 75).unverifiedClaims.expiry == 175)
    }

    @Test func `signs anew when the clock was put back`() {
        let source = SASTokenSource(signer: signer)
        #expect(source.token(now: 100_000).unverifiedClaims.expiry == 103_600)
        #expect(source.token(now: 0).unverifiedClaims.expiry == 3600)
    }

    @Test func `shares one token among tasks and copies`() async {
        let source = SASTokenSource(signer: signer)
        let tokens = await withTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { [source] in source.token(now: 5).headerValue } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
    }
}
