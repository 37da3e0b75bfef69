import HubCrypto
import HubTestSupport
import SharedAccessSignature
import Testing

/// An HMAC implementation outside the module.
enum ExternalHMAC {
    static func code(of message: [UInt8]) -> HMAC.AuthenticationCode {
        HMAC.authenticationCode(for: message, using: Array("secret".utf8))
    }
}

@Suite struct SharedAccessKeyTests {
    static let resource = "https://h.net/hub"
    let key = SharedAccessKey(name: "rule", secret: "secret")

    @Test func `signs and verifies with an external HMAC`() throws {
        let external = SharedAccessKey(name: "rule") { Array(ExternalHMAC.code(of: $0)) }
        let token = SASSigner(key: external, resource: Self.resource).token(expiringAt: 100)
        #expect(token.headerValue == SASSigner(key: key, resource: Self.resource).token(expiringAt: 100).headerValue)
        _ = try SASVerifier(keys: [external]).verify(token, for: SASResource(Self.resource), now: 99)
        let forged = SASSigner(key: SharedAccessKey(name: "rule", secret: "guess"), resource: Self.resource)
        #expect(throws: SASTokenError.self) {
            try SASVerifier(keys: [external])
                .verify(forged.token(expiringAt: 100), for: SASResource(Self.resource), now: 99)
        }
    }

    @Test(.blocking) func `traps for an HMAC of the wrong length`() async {
        await #expect(processExitsWith: .failure) {
            _ = SharedAccessKey(name: "n") { _ in [1, 2, 3] }.fingerprint
        }
    }

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
        let code = { @Sendable [expected] (message: [UInt8]) in
            Array(HMAC.authenticationCode(for: message, using: expected))
        }
        #expect(decoded.fingerprint == SharedAccessKey(name: "n", authenticationCode: code).fingerprint)
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
