import HubCrypto
import HubTestSupport
import Testing

/// Comparisons of each available kernel with the portable one, which `SHA256Tests` verifies with test vectors.
@Suite struct KernelTests {
    static let portable = Result { try KernelChoice(forcing: .portable) }

    /// The kernels available on this machine.
    static let available = SHA256.Kernel.all.filter { (try? KernelChoice(forcing: $0)) != nil }

    @Test(arguments: SHA256.Kernel.all)
    func `is available or reported as skipped`(kernel: SHA256.Kernel) {
        if Self.available.contains(kernel) {
            #expect(throws: Never.self) { try KernelChoice(forcing: kernel) }
        } else {
            // `.ci/run` fails on this line if the processor supports the kernel.
            print("skipped: kernel \(kernel)")
            #expect(throws: KernelUnavailableError(kernel: kernel)) { try KernelChoice(forcing: kernel) }
        }
    }

    @Test func `chooses an available kernel`() {
        #expect(Self.available.contains(SHA256.activeKernel))
        #expect(Self.available.contains(SHA256.activeBatchKernel))
        #expect(SHA256.activeKernel != .avx512)
    }

    @Test(arguments: available)
    func `hashes the NIST vectors`(kernel: SHA256.Kernel) throws {
        for example in representatives(try SHA256Tests.examples.get(), count: 40) {
            let message = try example.bytes("message")
            #expect(try hash(message, kernel).elementsEqual(try example.bytes("digest")), "\(example)")
        }
    }

    @Test(arguments: available)
    func `matches the portable kernel for every length up to 257 at every alignment`(kernel: SHA256.Kernel) throws {
        let bytes = patternBytes(16 + 257)
        for length in 0...257 {
            for offset in 0..<16 {
                let message = bytes[offset..<(offset + length)]
                #expect(try hash(message, kernel) == hash(message, .portable), "\(length) bytes at \(offset)")
            }
        }
    }

    @Test(arguments: available)
    func `matches the portable kernel for random lengths around block boundaries`(kernel: SHA256.Kernel) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let length = Int.random(in: 1...64, using: &generator) * 64 + Int.random(in: -1...1, using: &generator)
            let message = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(try hash(message, kernel) == hash(message, .portable), "seed \(seed), \(length) bytes")
        }
    }

    @Test(arguments: available)
    func `returns the same digest for every three-way split of up to two blocks`(kernel: SHA256.Kernel) throws {
        let kernels = try KernelChoice(forcing: kernel)
        let bytes = patternBytes(128)
        let key = unsafe bytes[..<32].withUnsafeBytes { unsafe HMAC.Key(bufferPointer: $0, kernels: kernels) }
        var failures: [String] = []
        for length in representatives([0, 1, 8, 55, 56, 63, 64, 65, 119, 120, 127, 128], of: Array(0...128)) {
            let message = bytes[..<length]
            let digest = try hash(message, .portable)
            let code = key.authenticationCode(for: message)
            for first in 0...length {
                for second in first...length {
                    var hasher = SHA256(kernels: kernels)
                    var mac = HMAC(key: key)
                    for part in [message[..<first], message[first..<second], message[second...]] {
                        hasher.update(data: part)
                        mac.update(data: part)
                    }
                    if hasher.finalize() != digest || mac.finalize() != code {
                        failures.append("\(length) bytes, split at \(first) and \(second)")
                    }
                }
            }
        }
        #expect(failures.isEmpty)
    }

    @Test(arguments: available)
    func `does not read outside the message`(kernel: SHA256.Kernel) throws {
        let kernels = try KernelChoice(forcing: kernel)
        let guarded = try GuardedMemory(pageCount: 1)
        for length in 0...257 {
            for isAtStart in [true, false] {
                let message = unsafe isAtStart ? guarded.prefix(length) : guarded.suffix(length)
                let copy = unsafe Array(message)
                let digest = unsafe SHA256.hash(bufferPointer: message, kernels: kernels)
                let expectedDigest = try hash(copy, .portable)
                #expect(digest == expectedDigest)

                let code = unsafe HMAC.Key(bufferPointer: message, kernels: kernels).authenticationCode(
                    bufferPointer: message)
                let expectedCode = unsafe HMAC.Key(bufferPointer: message, kernels: try Self.portable.get())
                    .authenticationCode(for: copy)
                #expect(code == expectedCode)
            }
        }
        // More than sixteen messages, each at the edge of the accessible memory.
        let messages = unsafe (0..<40).map {
            unsafe $0.isMultiple(of: 2) ? guarded.prefix($0 * 7) : guarded.suffix($0 * 7)
        }
        let digests = unsafe [SHA256.Digest](unsafeUninitializedCapacity: messages.count) { digests, count in
            unsafe messages.withUnsafeBufferPointer { unsafe SHA256.hash($0, into: digests, kernels: kernels) }
            count = unsafe messages.count
        }
        for index in unsafe messages.indices {
            let expected = try hash(unsafe Array(messages[index]), .portable)
            #expect(digests[index] == expected)
        }
    }

    @Test(arguments: available)
    func `does not read outside the messages in lanes without a message`(kernel: SHA256.Kernel) throws {
        let kernels = try KernelChoice(forcing: kernel)
        let guarded = try GuardedMemory(pageCount: 1)
        // Four long messages stay busy while the other lanes are idle.
        let messages = unsafe (0..<16).map { unsafe guarded.suffix($0.isMultiple(of: 4) ? 640 : 1) }
        let digests = unsafe [SHA256.Digest](unsafeUninitializedCapacity: messages.count) { digests, count in
            unsafe messages.withUnsafeBufferPointer { unsafe SHA256.hash($0, into: digests, kernels: kernels) }
            count = unsafe messages.count
        }
        for index in unsafe messages.indices {
            #expect(digests[index] == (try hash(unsafe Array(messages[index]), .portable)))
        }
    }

    private func hash(_ message: some Collection<UInt8>, _ kernel: SHA256.Kernel) throws -> SHA256.Digest {
        let kernels = try KernelChoice(forcing: kernel)
        let digest = message.withContiguousStorageIfAvailable {
            unsafe SHA256.hash(bufferPointer: UnsafeRawBufferPointer($0), kernels: kernels)
        }
        return try #require(digest)
    }
}
