import HubCrypto
import HubTestSupport
import Testing

/// Tests of joined messages and messages with a common prefix, as used for tokens.
@Suite struct PartsTests {
    @Test(arguments: KernelTests.available)
    func `returns the code of the whole message for two parts and a separator`(kernel: SHA256.Kernel) throws {
        let key = key(try KernelChoice(forcing: kernel))
        for count in [1, 2, 55, 56, 63, 64, 119, 120, 128, 183, 184, 246, 247, 248, 300, 1000] {
            let message = patternBytes(count)
            let expected = HMAC.authenticationCode(for: message, using: patternBytes(32))
            for position in [0, count / 3, count / 2, count - 1] {
                let (start, end) = (message[..<position], message[(position + 1)...])
                let code = key.states.authenticationCode(joining: start.span, message[position], end.span)
                #expect(code == expected, "\(count) bytes, separator at \(position)")
            }
        }
    }

    @Test(arguments: KernelTests.available)
    func `returns the code of the whole message for a prefix and a suffix`(kernel: SHA256.Kernel) throws {
        let key = key(try KernelChoice(forcing: kernel))
        for prefixCount in 0...200 {
            let prefix = HMAC.Prefix(key: key, prefix: ContiguousArray(patternBytes(prefixCount)).span)
            for suffixCount in [0, 1, 10, 19, HMAC.Prefix.maximumSuffixByteCount] {
                let suffix = [UInt8](patternBytes(suffixCount).reversed())
                let expected = HMAC.authenticationCode(for: patternBytes(prefixCount) + suffix, using: patternBytes(32))
                let code = unsafe suffix.withUnsafeBytes { unsafe prefix.authenticationCode(appending: $0) }
                #expect(code == expected, "\(prefixCount) and \(suffixCount) bytes")
            }
        }
    }

    @Test(arguments: KernelTests.available, [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 100])
    func `returns the codes of whole messages for a batch of prefixes and a suffix`(kernel: SHA256.Kernel, count: Int)
        throws
    {
        let key = key(try KernelChoice(forcing: kernel))
        let suffix = patternBytes(10)
        let prefixes = (0..<count).map { HMAC.Prefix(key: key, prefix: ContiguousArray(patternBytes($0 * 7)).span) }
        var codes: [HMAC.AuthenticationCode] = []
        unsafe suffix.withUnsafeBytes { suffix in
            unsafe HMAC.Prefix.forEachAuthenticationCode(of: prefixes, appending: suffix) { index, code in
                #expect(index == codes.count)
                codes.append(code)
            }
        }
        let expected = (0..<count).map {
            HMAC.authenticationCode(for: patternBytes($0 * 7) + suffix, using: patternBytes(32))
        }
        #expect(codes == expected)
    }

    @Test(arguments: KernelTests.available, [0, 1, 2, 63, 64, 65, 200])
    func `returns the code of each joined message`(kernel: SHA256.Kernel, count: Int) throws {
        let key = key(try KernelChoice(forcing: kernel))
        var messages = JoinedMessages(minimumCapacity: 1, byteCount: 1)
        for index in 0..<count {
            messages.append(
                joining: ContiguousArray(patternBytes(index)).span, UInt8(index),
                ContiguousArray(patternBytes(index * 5 % 130)).span)
        }
        let whole = (0..<count).map { patternBytes($0) + [UInt8($0)] + patternBytes($0 * 5 % 130) }
        for index in 0..<count {
            #expect(messages.withBytes(at: index) { bytes in bytes.indices.map { bytes[$0] } } == whole[index])
        }
        for indices in [Array(0..<count), (0..<count).filter { $0 % 3 == 1 }, Array((0..<count).reversed())] {
            var results: [(Int, HMAC.AuthenticationCode)] = []
            key.forEachAuthenticationCode(of: messages, at: indices) { results.append(($0, $1)) }
            #expect(results.map(\.0) == indices)
            #expect(results.allSatisfy { $1 == HMAC.authenticationCode(for: whole[$0], using: patternBytes(32)) })
        }
    }

    @Test(.blocking) func `traps if the suffix is too long`() async {
        await #expect(processExitsWith: .failure) {
            let prefix = HMAC.Prefix(key: HMAC.Key(data: [1]), prefix: ContiguousArray(patternBytes(3)).span)
            let suffix = patternBytes(HMAC.Prefix.maximumSuffixByteCount + 1)
            _ = unsafe suffix.withUnsafeBytes { unsafe prefix.authenticationCode(appending: $0) }
        }
    }

    private func key(_ kernels: KernelChoice) -> HMAC.Key {
        unsafe patternBytes(32).withUnsafeBytes { unsafe HMAC.Key(bufferPointer: $0, kernels: kernels) }
    }
}
