import HubTestSupport
import HubCrypto
import Testing

@Suite struct BatchTests {
    static let batches: [[Int]] = [
        [], [0], [200], [64, 64], Array(repeating: 71, count: 16), Array(repeating: 1024, count: 16),
        Array(0..<140), Array((0..<140).reversed()), Array(repeating: 55, count: 65),
        [10_000] + Array(repeating: 3, count: 30),
        (0..<63).map { $0 * 37 % 301 },
    ]

    @Test(arguments: KernelTests.available, batches)
    func `returns the same results as for single messages`(kernel: SHA256.Kernel, lengths: [Int]) throws {
        let kernels = try KernelChoice(forcing: kernel)
        let messages = lengths.enumerated().map { index, length in patternBytes(length).map { $0 ^ UInt8(index & 255) }
        }
        #expect(digests(messages, kernels) == messages.map { SHA256.hash(data: $0) })

        let key = unsafe "key".utf8.withContiguousStorageIfAvailable {
            unsafe HMAC.Key(bufferPointer: UnsafeRawBufferPointer($0), kernels: kernels)
        }
        let codes = try #require(key).authenticationCodes(for: messages)
        #expect(codes == messages.map { HMAC.authenticationCode(for: $0, using: "key".utf8) })
    }

    @Test(arguments: KernelTests.available)
    func `returns the same digests as for single messages in random batches`(kernel: SHA256.Kernel) throws {
        let kernels = try KernelChoice(forcing: kernel)
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let messages = (0..<Int.random(in: 0...100, using: &generator)).map { _ in
                patternBytes(Int.random(in: 0...Int.random(in: 0...1000, using: &generator), using: &generator))
            }
            #expect(digests(messages, kernels) == messages.map { SHA256.hash(data: $0) }, "seed \(seed)")
        }
    }

    @Test func `accepts any collection of contiguous or noncontiguous messages`() {
        let messages = [patternBytes(5), patternBytes(70), patternBytes(130)]
        let expected = messages.map { SHA256.hash(data: $0) }
        #expect(SHA256.digests(for: messages) == expected)
        #expect(
            SHA256.digests(for: messages.lazy.map { $0.reversed() })
                == messages.map { SHA256.hash(data: $0.reversed()) }
        )
        #expect(SHA256.digests(for: ["abc".utf8, "".utf8]) == [SHA256.hash(data: "abc".utf8), SHA256.hash(data: [])])
        #expect(SHA256.digests(for: messages[1...]) == Array(expected[1...]))
    }

    @Test func `writes only to the given buffer`() {
        let messages = (0..<70).map { patternBytes($0) }
        let sentinel = SHA256.hash(data: "sentinel".utf8)
        var digests = [SHA256.Digest](repeating: sentinel, count: 72)
        unsafe digests.withUnsafeMutableBufferPointer {
            unsafe SHA256.digests(for: messages, into: UnsafeMutableBufferPointer(rebasing: $0[1..<71]))
        }
        #expect(digests == [sentinel] + messages.map { SHA256.hash(data: $0) } + [sentinel])
    }

    /// A collection whose `count` differs from its number of elements.
    struct MiscountedCollection: Collection {
        let count: Int
        let endIndex: Int
        var startIndex: Int { 0 }
        func index(after index: Int) -> Int { index + 1 }
        subscript(index: Int) -> [UInt8] { [1] }
    }

    @Test(.blocking) func `traps if a collection's count is wrong`() async {
        await #expect(processExitsWith: .failure) {
            _ = SHA256.digests(for: MiscountedCollection(count: 2, endIndex: 60))
        }
        await #expect(processExitsWith: .failure) {
            _ = SHA256.digests(for: MiscountedCollection(count: 65, endIndex: 130))
        }
        await #expect(processExitsWith: .failure) {
            _ = SHA256.digests(for: MiscountedCollection(count: 4, endIndex: 1))
        }
        await #expect(processExitsWith: .failure) {
            _ = HMAC.Key(data: [1]).authenticationCodes(for: MiscountedCollection(count: 2, endIndex: 60))
        }
        await #expect(processExitsWith: .failure) {
            _ = HMAC.Key(data: [1]).authenticationCodes(for: MiscountedCollection(count: 4, endIndex: 1))
        }
    }

    @Test(.blocking) func `traps if the buffer is too small`() async {
        await #expect(processExitsWith: .failure) {
            var digests = [SHA256.hash(data: [])]
            unsafe digests.withUnsafeMutableBufferPointer { unsafe SHA256.digests(for: [[1], [2]], into: $0) }
        }
        await #expect(processExitsWith: .failure) {
            let key = HMAC.Key(data: [1])
            var codes = [key.authenticationCode(for: [])]
            unsafe codes.withUnsafeMutableBufferPointer {
                unsafe key.authenticationCodes(for: [[1], [2]], into: $0)
            }
        }
    }

    @Test(.blocking) func `traps if the buffer is too large`() async {
        await #expect(processExitsWith: .failure) {
            var digests = [SHA256.hash(data: []), SHA256.hash(data: [])]
            unsafe digests.withUnsafeMutableBufferPointer { unsafe SHA256.digests(for: [[1]], into: $0) }
        }
        await #expect(processExitsWith: .failure) {
            let key = HMAC.Key(data: [1])
            var codes = [key.authenticationCode(for: []), key.authenticationCode(for: [])]
            unsafe codes.withUnsafeMutableBufferPointer { unsafe key.authenticationCodes(for: [[1]], into: $0) }
        }
    }

    /// All empty arrays share their storage. ThreadSanitizer reports a write to it.
    @Test func `returns no results for no messages in several tasks`() async {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let key = HMAC.Key(data: [1])
                    return (0..<100).allSatisfy { _ in
                        SHA256.digests(for: [[UInt8]]()).isEmpty && key.authenticationCodes(for: [[UInt8]]()).isEmpty
                    }
                }
            }
            for await isEmpty in group { #expect(isEmpty) }
        }
    }

    private func digests(_ messages: [[UInt8]], _ kernels: KernelChoice) -> [SHA256.Digest] {
        let copies = unsafe messages.map { message in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: message.count, alignment: 1)
            unsafe copy.copyBytes(from: message)
            return UnsafeRawBufferPointer(copy)
        }
        defer { unsafe copies.forEach { unsafe $0.deallocate() } }
        return unsafe [SHA256.Digest](unsafeUninitializedCapacity: max(1, messages.count)) { digests, count in
            var position = 0
            while unsafe position < copies.count {
                let window = unsafe copies[position...].prefix(64)
                unsafe Array(window).withUnsafeBufferPointer {
                    unsafe SHA256.hash(
                        $0, into: UnsafeMutableBufferPointer(rebasing: digests[position...]), kernels: kernels)
                }
                unsafe position += window.count
            }
            count = messages.count
        }
    }
}
