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
        let bytes = ContiguousArray(bytes)
        let digest = unsafe SHA256.hash(data: bytes.span.bytes)
        #expect(digest == SHA256.hash(data: bytes))

        let key = unsafe HMAC.Key(data: bytes.span.bytes)
        let code = unsafe key.authenticationCode(for: bytes.span.bytes)
        #expect(code == key.authenticationCode(for: bytes))
        let oneShot = unsafe HMAC.authenticationCode(for: bytes.span.bytes, using: bytes.span.bytes)
        #expect(oneShot == code)
        let other = unsafe HMAC.authenticationCode(for: bytes.span.bytes, using: bytes.span.bytes.extracting(first: 9))
        #expect(other == HMAC.authenticationCode(for: bytes, using: bytes.prefix(9)))
        var mac = HMAC(key: key)
        unsafe mac.update(data: bytes.span.bytes)
        #expect(mac.finalize() == code)
        var hasher = SHA256()
        unsafe hasher.update(data: bytes.span.bytes)
        #expect(hasher.finalize() == digest)
        let codeBytes = ContiguousArray(code)
        let isValid = unsafe key.isValidAuthenticationCode(codeBytes.span.bytes, authenticating: bytes.span.bytes)
        let isValidFromArray = unsafe key.isValidAuthenticationCode(codeBytes, authenticating: bytes.span.bytes)
        let isValidPrefix = unsafe key.isValidAuthenticationCode(
            codeBytes.span.bytes.extracting(first: 16), authenticating: bytes.span.bytes, truncatedTo: 16)
        let isOverlongPrefixValid = unsafe key.isValidAuthenticationCode(
            codeBytes.span.bytes, authenticating: bytes.span.bytes, truncatedTo: 16)
        #expect(isValid && isValidFromArray && isValidPrefix && !isOverlongPrefixValid)
    }

    @Test(.blocking) func `traps if a truncated span is too short`() async {
        await #expect(processExitsWith: .failure) {
            let code = ContiguousArray<UInt8>(repeating: 0, count: 15)
            let key = HMAC.Key(data: [1])
            _ = unsafe key.isValidAuthenticationCode(code.span.bytes, authenticating: code.span.bytes, truncatedTo: 15)
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
