import HubCrypto
import HubLock
import Testing

/// What tokens are made of: a message in three parts, and messages with a common beginning.
@Suite struct PartsTests {
    @Test(arguments: KernelTests.available)
    func `a message in parts has the code that it has as a whole`(kernel: SHA256.Kernel) throws {
        let key = key(try KernelChoice(forcing: kernel))
        for count in [0, 1, 55, 56, 63, 64, 119, 120, 128, 183, 184, 246, 247, 248, 300, 1000] {
            let message = painted(count)
            let expected = HMAC.authenticationCode(for: message, using: painted(32))
            for (first, second) in [(0, 0), (count / 3, count / 2), (count / 2, count), (count, count)] {
                let (begin, middle) = (Array(message[..<first]), Array(message[first..<second]))
                let end = Array(message[second...])
                let code = key.authenticationCode(joining: begin.span, middle.span, end.span)
                #expect(code == expected, "\(count) bytes, \(first) and \(second)")
            }
        }
    }

    @Test(arguments: KernelTests.available)
    func `messages with a common beginning have the codes that they have as a whole`(kernel: SHA256.Kernel) throws {
        let key = key(try KernelChoice(forcing: kernel))
        for prefixCount in 0...200 {
            let prefix = HMAC.Prefix(key: key, prefix: painted(prefixCount).span)
            for suffixCount in [0, 1, 10, 19, HMAC.Prefix.maximumSuffixByteCount] {
                let suffix = [UInt8](painted(suffixCount).reversed())
                let expected = HMAC.authenticationCode(for: painted(prefixCount) + suffix, using: painted(32))
                let code = unsafe suffix.withUnsafeBytes { unsafe prefix.authenticationCode(appending: $0) }
                #expect(code == expected, "\(prefixCount) and \(suffixCount) bytes")
            }
        }
    }

    @Test(arguments: KernelTests.available, [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 100])
    func `and in batches`(kernel: SHA256.Kernel, count: Int) throws {
        let key = key(try KernelChoice(forcing: kernel))
        let suffix = painted(10)
        let prefixes = (0..<count).map { HMAC.Prefix(key: key, prefix: painted($0 * 7).span) }
        var codes: [HMAC.AuthenticationCode] = []
        unsafe suffix.withUnsafeBytes { suffix in
            unsafe HMAC.Prefix.forEachAuthenticationCode(of: prefixes, appending: suffix) { index, code in
                #expect(index == codes.count)
                codes.append(code)
            }
        }
        let expected = (0..<count).map { HMAC.authenticationCode(for: painted($0 * 7) + suffix, using: painted(32)) }
        #expect(codes == expected)
    }

    @Test(arguments: KernelTests.available, [0, 1, 2, 63, 64, 65, 200])
    func `messages in one piece of memory have their own codes`(kernel: SHA256.Kernel, count: Int) throws {
        let key = key(try KernelChoice(forcing: kernel))
        var messages = JoinedMessages(minimumCapacity: 1, byteCount: 1)
        for index in 0..<count {
            messages.append(joining: painted(index).span, painted(index * 5 % 130).span, painted(3).span)
        }
        let whole = (0..<count).map { painted($0) + painted($0 * 5 % 130) + painted(3) }
        #expect(messages.count == count)
        #expect(messages.map { span in span.indices.map { span[$0] } } == whole)
        #expect(
            key.authenticationCodes(for: messages)
                == whole.map { HMAC.authenticationCode(for: $0, using: painted(32)) })
    }

    @Test func `the states behind a common beginning are overwritten when they go`() {
        let wiped = Locked<[[UInt8]]>([])
        let note: @Sendable (UnsafeRawBufferPointer) -> Void = { memory in
            let copy = unsafe Array(memory)
            wiped.withLock { $0.append(copy) }
        }
        do {
            let prefix = unsafe HMAC.Prefix(key: key(.best), prefix: painted(100).span, onWipe: note)
            let copy = prefix
            #expect(wiped.withLock { $0 }.isEmpty)
            _ = copy
        }
        #expect(wiped.withLock { $0 } == [[UInt8](repeating: 0, count: 64)])
    }

    @Test func `stops at an end that is too long`() async {
        await #expect(processExitsWith: .failure) {
            let prefix = HMAC.Prefix(key: HMAC.Key(data: [1]), prefix: painted(3).span)
            let suffix = painted(HMAC.Prefix.maximumSuffixByteCount + 1)
            _ = unsafe suffix.withUnsafeBytes { unsafe prefix.authenticationCode(appending: $0) }
        }
    }

    private func key(_ kernels: KernelChoice) -> HMAC.Key {
        unsafe painted(32).withUnsafeBytes { unsafe HMAC.Key(bufferPointer: $0, kernels: kernels) }
    }
}
