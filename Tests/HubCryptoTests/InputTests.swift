import Foundation
import HubCrypto
import HubTestSupport
import Testing

/// Tests of every kind of byte sequence with each entry point.
@Suite struct InputTests {
    let bytes = patternBytes(100)

    @Test func `accepts any sequence`() {
        check(bytes)
        check(bytes[...])
        check(ContiguousArray(bytes))
        check(Data(bytes))
        check(Data([0] + bytes).dropFirst())
        check(bytes.lazy.map { $0 })
        check(AnySequence(bytes))
        check(String(decoding: bytes, as: UTF8.self).utf8)
    }

    @Test func `accepts spans`() {
        let digest = SHA256.hash(data: bytes)
        let key = HMAC.Key(data: bytes)
        let code = key.authenticationCode(for: bytes)
        withBytes(of: bytes) { span in
            let spanDigest = SHA256.hash(data: span)
            let spanCode = HMAC.Key(data: span).authenticationCode(for: span)
            let oneShot = HMAC.authenticationCode(for: span, using: span)
            let other = HMAC.authenticationCode(for: span, using: span.extracting(first: 9))
            #expect(spanDigest == digest && spanCode == code && oneShot == code)
            #expect(other == HMAC.authenticationCode(for: bytes, using: bytes.prefix(9)))
            var mac = HMAC(key: key)
            mac.update(data: span)
            #expect(mac.finalize() == code)
            var hasher = SHA256()
            hasher.update(data: span)
            #expect(hasher.finalize() == digest)
            let isValidFromArray = key.isValidAuthenticationCode(Array(code), authenticating: span)
            withBytes(of: Array(code)) { code in
                let isValid = key.isValidAuthenticationCode(code, authenticating: span)
                let isValidPrefix = key.isValidAuthenticationCode(
                    code.extracting(first: 16), authenticating: span, truncatedTo: 16)
                let isOverlongPrefixValid = key.isValidAuthenticationCode(code, authenticating: span, truncatedTo: 16)
                #expect(isValid && isValidFromArray && isValidPrefix && !isOverlongPrefixValid)
            }
        }
    }

    @Test(.blocking) func `traps if a truncated span is too short`() async {
        await #expect(processExitsWith: .failure) {
            let key = HMAC.Key(data: [1])
            _ = withBytes(of: Array(repeating: 0, count: 15)) { code in
                key.isValidAuthenticationCode(code, authenticating: code, truncatedTo: 15)
            }
        }
    }

    @Test(.blocking) func `traps for an index outside a digest`() async {
        await #expect(processExitsWith: .failure) { print(SHA256.hash(data: [])[32]) }
        await #expect(processExitsWith: .failure) { print(SHA256.hash(data: [])[-1]) }
    }

    private func check(_ data: some Sequence<UInt8>) {
        let expected = Array(data)
        let key = HMAC.Key(data: expected)
        let code = key.authenticationCode(for: expected)
        #expect(SHA256.hash(data: data) == SHA256.hash(data: expected), "\(type(of: data))")
        #expect(HMAC.Key(data: data).authenticationCode(for: data) == code, "\(type(of: data))")
        #expect(HMAC.authenticationCode(for: data, using: data) == code, "\(type(of: data))")
        #expect(key.isValidAuthenticationCode(code, authenticating: data), "\(type(of: data))")
    }
}
