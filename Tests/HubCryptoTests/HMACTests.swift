import HubCrypto
import HubTestSupport
import Testing

@Suite struct HMACTests {
    static let cases = Result {
        try Vectors.cases("crypto/hmac-sha256-rfc4231.vectors", fields: ["key", "message", "code"])
    }

    @Test(arguments: try cases.get())
    func `returns the codes of RFC 4231 from each API`(example: Vectors.Case) throws {
        let secret = try example.bytes("key")
        let message = try example.bytes("message")
        let expected = try example.bytes("code")
        let key = HMAC.Key(data: secret)

        let codes = [
            HMAC.authenticationCode(for: message, using: secret),
            key.authenticationCode(for: message),
            HMAC.Key(data: AnySequence(secret)).authenticationCode(for: AnySequence(message)),
            byteByByte(message, key),
        ]
        for code in codes {
            #expect(code.prefix(expected.count).elementsEqual(expected))
            #expect(key.isValidAuthenticationCode(code, authenticating: message))
        }
    }

    @Test(arguments: KernelTests.available)
    func `computes the code of FIPS 198-1 for every length up to 257`(kernel: SHA256.Kernel) throws {
        let kernels = try KernelChoice(forcing: kernel)
        let bytes = patternBytes(257 + 64)
        let secret = bytes[257...]
        let key = unsafe secret.withUnsafeBytes { unsafe HMAC.Key(bufferPointer: $0, kernels: kernels) }
        for length in 0...257 {
            let message = bytes[..<length]
            let inner = SHA256.hash(data: secret.map { $0 ^ 0x36 } + message)
            let code = SHA256.hash(data: secret.map { $0 ^ 0x5c } + inner)
            #expect(key.authenticationCode(for: message).elementsEqual(code), "\(length) bytes")
        }
    }

    static let verifications = Result {
        try Vectors.cases(
            "crypto/wycheproof-hmac-sha256.vectors", fields: ["key", "message", "code", "result"])
    }

    @Test(arguments: KernelTests.available)
    func `accepts exactly the valid codes of Wycheproof, alone and in a batch`(kernel: SHA256.Kernel) throws {
        let kernels = try KernelChoice(forcing: kernel)
        let cases = try Self.verifications.get()
        #expect(cases.count == 174)
        for example in cases {
            let (message, code) = (try example.bytes("message"), try example.bytes("code"))
            let isValid = try example.text("result") == "valid"
            let key = try unsafe example.bytes("key").withUnsafeBytes {
                unsafe HMAC.Key(bufferPointer: $0, kernels: kernels)
            }
            #expect(
                key.isValidAuthenticationCode(code, authenticating: message, truncatedTo: code.count) == isValid,
                "\(example)")
            let batch = key.authenticationCodes(for: [[UInt8]](repeating: message, count: 17))
            #expect(batch.allSatisfy { $0.prefix(code.count).elementsEqual(code) == isValid }, "\(example)")
        }
    }

    private func byteByByte(_ message: [UInt8], _ key: HMAC.Key) -> HMAC.AuthenticationCode {
        var mac = HMAC(key: key)
        for byte in message { mac.update(data: CollectionOfOne(byte)) }
        return mac.finalize()
    }

    @Test func `rejects a code with any bit changed`() {
        let key = HMAC.Key(data: "secret".utf8)
        let code = Array(key.authenticationCode(for: "message".utf8))
        for bit in 0..<256 {
            var changed = code
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.isValidAuthenticationCode(changed, authenticating: "message".utf8), "bit \(bit)")
        }
    }

    @Test func `rejects a code of a different length`() {
        let key = HMAC.Key(data: "secret".utf8)
        let code = Array(key.authenticationCode(for: "message".utf8))
        #expect(!key.isValidAuthenticationCode([], authenticating: "message".utf8))
        #expect(!key.isValidAuthenticationCode(code.dropLast(), authenticating: "message".utf8))
        #expect(!key.isValidAuthenticationCode(code + [0], authenticating: "message".utf8))
        #expect(!key.isValidAuthenticationCode(code + code, authenticating: "message".utf8))
    }

    @Test func `accepts a truncated code of the given length`() {
        let key = HMAC.Key(data: "secret".utf8)
        let code = Array(key.authenticationCode(for: "message".utf8))
        for length in 16...32 {
            let prefix = code.prefix(length)
            #expect(key.isValidAuthenticationCode(prefix, authenticating: "message".utf8, truncatedTo: length))
            #expect(
                !key.isValidAuthenticationCode(prefix.dropLast(), authenticating: "message".utf8, truncatedTo: length))
            #expect(!key.isValidAuthenticationCode(prefix + [0], authenticating: "message".utf8, truncatedTo: length))
            for index in 0..<length {
                var changed = Array(prefix)
                changed[index] ^= 1
                #expect(!key.isValidAuthenticationCode(changed, authenticating: "message".utf8, truncatedTo: length))
            }
            if length < 32 { #expect(!key.isValidAuthenticationCode(prefix, authenticating: "message".utf8)) }
        }
    }

    @Test(.blocking) func `traps if a truncated length is not between 16 and 32`() async {
        await #expect(processExitsWith: .failure) { Self.checkTruncatedCode(length: 15) }
        await #expect(processExitsWith: .failure) { Self.checkTruncatedCode(length: 33) }
    }

    private static func checkTruncatedCode(length: Int) {
        let code = [UInt8](repeating: 0, count: length)
        _ = HMAC.Key(data: [1]).isValidAuthenticationCode(code, authenticating: [], truncatedTo: length)
    }

    @Test func `compares noncontiguous and infinite codes`() {
        let key = HMAC.Key(data: "secret".utf8)
        let code = key.authenticationCode(for: "message".utf8)
        #expect(key.isValidAuthenticationCode(AnySequence(code), authenticating: AnySequence("message".utf8)))
        let infinite = AnySequence { AnyIterator { UInt8(0) } }
        #expect(!key.isValidAuthenticationCode(infinite, authenticating: "message".utf8))
    }

    @Test func `hashes a key that is longer than a block`() {
        for length in [63, 64, 65, 128, 200] {
            let secret = patternBytes(length)
            let shortened = length > 64 ? Array(SHA256.hash(data: secret)) : secret
            #expect(
                HMAC.authenticationCode(for: [1], using: secret) == HMAC.authenticationCode(for: [1], using: shortened))
        }
    }

    @Test func `accepts more data after finalize`() {
        let key = HMAC.Key(data: "secret".utf8)
        var mac = HMAC(key: key)
        mac.update(data: "mess".utf8)
        #expect(mac.finalize() == key.authenticationCode(for: "mess".utf8))
        mac.update(data: "age".utf8)
        #expect(mac.finalize() == key.authenticationCode(for: "message".utf8))
    }
}

@Suite struct RedactionTests {
    @Test func `redacts keys and values derived from them`() {
        let secret = "correct horse battery staple"
        let key = HMAC.Key(data: secret.utf8)
        var mac = HMAC(key: key)
        mac.update(data: secret.utf8)
        var hasher = SHA256()
        hasher.update(data: secret.utf8)

        #expect(prints(key, "HMAC.Key(redacted)"))
        #expect(prints(mac, "HMAC(redacted)"))
        #expect(prints(hasher, "SHA256(redacted)"))
        #expect(prints(mac.finalize(), "HMAC.AuthenticationCode(redacted)"))
    }

    /// Returns whether a value prints only as `text`, regardless of how it is printed.
    private func prints(_ value: Any, _ text: String) -> Bool {
        let words = everythingPrinted(of: value).replacing(text, with: "").split { "\n []()\"▿-•".contains($0) }
        let containerWords: Set = [
            "1", "element", "Optional", "some:", "0:", "elements", "failed:", "is", "not", "equal", "to",
        ]
        let unexpectedWords = words.filter { !containerWords.contains(String($0)) }
        if !unexpectedWords.isEmpty { Issue.record("\(type(of: value)) prints \(unexpectedWords)") }
        return unexpectedWords.isEmpty
    }

    @Test func `compares digests and codes with byte sequences`() {
        let digest = SHA256.hash(data: "message".utf8)
        let code = HMAC.authenticationCode(for: "message".utf8, using: "key".utf8)
        let (digestBytes, codeBytes) = (Array(digest), Array(code))
        #expect(digest == digestBytes && digest == AnySequence(digestBytes))
        #expect(code == codeBytes && code == AnySequence(codeBytes))
        for index in 0..<32 {
            var (changedDigest, changedCode) = (digestBytes, codeBytes)
            changedDigest[index] ^= 1
            changedCode[index] ^= 1
            #expect(!(digest == changedDigest) && !(digest == AnySequence(changedDigest)))
            #expect(!(code == changedCode) && !(code == AnySequence(changedCode)))
        }
        for other in [[], Array(digestBytes.dropLast()), digestBytes + [0], digestBytes + digestBytes] {
            #expect(!(digest == other) && !(digest == AnySequence(other)))
        }
        #expect(!(code == codeBytes.dropLast()) && !(code == codeBytes + [0]))
    }
}
