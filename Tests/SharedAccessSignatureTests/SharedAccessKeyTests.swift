import HubCrypto
import HubTestSupport
import HubText
import SharedAccessSignature
import Testing

@Suite struct SharedAccessKeyTests {
    static let resource = "https://h.net/hub"
    let key = SharedAccessKey(name: "rule", secret: "secret")

    @Test(arguments: [("c2VjcmV0", "secret"), ("c2VjcmV0cw==", "secrets"), ("AP+/", nil), ("c2VjcmU=", "secre")])
    func `decodes a Base64 secret`(text: String, secret: String?) throws {
        let decoded = try SharedAccessKey(name: "rule", base64Secret: text)
        if let secret { #expect(decoded.fingerprint == SharedAccessKey(name: "x", secret: secret).fingerprint) }
        #expect(decoded.fingerprint != SharedAccessKey(name: "rule", secret: text).fingerprint)
    }

    @Test(arguments: [
        "", "=", "====", "c2VjcmV", "c2VjcmV0c", "c2VjcmV0cw=", "c2VjcmV0cx==", "c2VjcmV0cw==\n", "c2Vj cmV0",
        "c2VjcmV_",
        "c2Vj=mV0", "c2VjcmV0====", "c2VjcmVé",
    ])
    func `rejects noncanonical Base64`(text: String) {
        let error = #expect(throws: ConnectionStringError.self) {
            try SharedAccessKey(name: "rule", base64Secret: text)
        }
        #expect(error?.code == .invalidKey)
        #expect(error?.description.contains("c2Vj") == false)
    }

    @Test func `accepts exactly the Base64 alphabet`() throws {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for byte in UInt8(0)..<0x80 {
            let character = String(UnicodeScalar(byte))
            let isKey = (try? SharedAccessKey(name: "n", base64Secret: "BBA" + character)) != nil
            #expect(isKey == (alphabet.contains(character) || character == "="))
        }
        let decoded = try SharedAccessKey(name: "n", base64Secret: alphabet)
        // The alphabet in order encodes the six-bit numbers from 0 to 63.
        var expected: [UInt8] = []
        for group in stride(from: UInt32(0), to: 64, by: 4) {
            let bits = group << 18 | (group + 1) << 12 | (group + 2) << 6 | group + 3
            expected += [UInt8(bits >> 16), UInt8(bits >> 8 & 255), UInt8(bits & 255)]
        }
        let code = HMAC.authenticationCode(for: "fingerprint of a shared access key".utf8, using: expected)
        #expect(decoded.fingerprint == code.prefix(8).hexDigits().lossyText)
    }

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
        #expect(throws: ConnectionStringError.self) { try SharedAccessKey(name: "rule", base64Secret: "AAAA") }
    }
}
