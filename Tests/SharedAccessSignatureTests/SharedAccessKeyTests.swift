import SharedAccessSignature
import Testing

@Suite struct SharedAccessKeyTests {
    static let resource = "https://h.net/hub"
    let key = SharedAccessKey(name: "rule", secret: "secret")

    @Test func `has a fingerprint that depends only on the secret`() {
        #expect(key.fingerprint == SharedAccessKey(name: "other", secret: "secret").fingerprint)
        #expect(key.fingerprint != SharedAccessKey(name: "rule", secret: "secret2").fingerprint)
        #expect(key.fingerprint.utf8.count == 16)
    }

    @Test(arguments: ["", "\u{0}", "\u{0}\u{0}"])
    func `rejects tokens signed with an empty or all-zero key`(secret: String) throws {
        let emptyKey = SharedAccessKey(name: "rule", secret: secret)
        let token = SASSigner(key: emptyKey, resource: Self.resource).token(expiringAt: 100)
        let error = #expect(throws: SASTokenError.self) {
            try SASVerifier(keys: [emptyKey]).verify(token, for: SASResource(Self.resource), now: 99)
        }
        #expect(error?.codes == [.unknownKey])
    }
}
