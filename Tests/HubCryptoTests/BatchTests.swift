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
    func `hashes a batch as it hashes one message after the other`(kernel: SHA256.Kernel, lengths: [Int]) throws {
        let kernels = try KernelChoice(forcing: kernel)
        let messages = lengths.enumerated().map { index, length in painted(length).map { $0 ^ UInt8(index & 255) } }
        #expect(digests(messages, kernels) == messages.map { SHA256.hash(data: $0) })

        let key = unsafe "key".utf8.withContiguousStorageIfAvailable {
            unsafe HMAC.Key(bufferPointer: UnsafeRawBufferPointer($0), kernels: kernels)
        }
        let codes = try #require(key).authenticationCodes(for: messages)
        #expect(codes == messages.map { HMAC.authenticationCode(for: $0, using: "key".utf8) })
    }

    @Test(arguments: KernelTests.available)
    func `hashes random batches of mixed lengths as it hashes one message after the other`(kernel: SHA256.Kernel) throws
    {
        let kernels = try KernelChoice(forcing: kernel)
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let messages = (0..<Int.random(in: 0...100, using: &generator)).map { _ in
                painted(Int.random(in: 0...Int.random(in: 0...1000, using: &generator), using: &generator))
            }
            #expect(digests(messages, kernels) == messages.map { SHA256.hash(data: $0) }, "seed \(seed)")
        }
    }

    @Test func `takes messages that are not contiguous, and batches of any kind`() {
        let messages = [painted(5), painted(70), painted(130)]
        let expected = messages.map { SHA256.hash(data: $0) }
        #expect(SHA256.hash(batch: messages) == expected)
        #expect(
            SHA256.hash(batch: messages.lazy.map { $0.reversed() }) == messages.map { SHA256.hash(data: $0.reversed()) }
        )
        #expect(SHA256.hash(batch: ["abc".utf8, "".utf8]) == [SHA256.hash(data: "abc".utf8), SHA256.hash(data: [])])
        #expect(SHA256.hash(batch: messages[1...]) == Array(expected[1...]))
    }

    @Test func `writes to where the caller wants it, and to nowhere else`() {
        let messages = (0..<70).map { painted($0) }
        let canary = SHA256.hash(data: "canary".utf8)
        var digests = [SHA256.Digest](repeating: canary, count: 72)
        unsafe digests.withUnsafeMutableBufferPointer {
            unsafe SHA256.hash(batch: messages, into: UnsafeMutableBufferPointer(rebasing: $0[1..<71]))
        }
        #expect(digests == [canary] + messages.map { SHA256.hash(data: $0) } + [canary])
    }

    /// A collection that says another number of elements than it has.
    struct Liar: Collection {
        let count: Int
        let endIndex: Int
        var startIndex: Int { 0 }
        func index(after index: Int) -> Int { index + 1 }
        subscript(index: Int) -> [UInt8] { [1] }
    }

    @Test func `stops the program rather than believe a collection that lies about its count`() async {
        await #expect(processExitsWith: .failure) { _ = SHA256.hash(batch: Liar(count: 2, endIndex: 60)) }
        await #expect(processExitsWith: .failure) { _ = SHA256.hash(batch: Liar(count: 65, endIndex: 130)) }
        await #expect(processExitsWith: .failure) { _ = SHA256.hash(batch: Liar(count: 4, endIndex: 1)) }
        await #expect(processExitsWith: .failure) {
            _ = HMAC.Key(data: [1]).authenticationCodes(for: Liar(count: 2, endIndex: 60))
        }
        await #expect(processExitsWith: .failure) {
            _ = HMAC.Key(data: [1]).authenticationCodes(for: Liar(count: 4, endIndex: 1))
        }
    }

    @Test func `stops the program where there is no room for the digests`() async {
        await #expect(processExitsWith: .failure) {
            var digests = [SHA256.hash(data: [])]
            unsafe digests.withUnsafeMutableBufferPointer { unsafe SHA256.hash(batch: [[1], [2]], into: $0) }
        }
    }

    private func digests(_ messages: [[UInt8]], _ kernels: KernelChoice) -> [SHA256.Digest] {
        let copies = unsafe messages.map { message in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: message.count, alignment: 1)
            unsafe copy.copyBytes(from: message)
            return UnsafeRawBufferPointer(copy)
        }
        defer { unsafe copies.forEach { unsafe $0.deallocate() } }
        return unsafe [SHA256.Digest](unsafeUninitializedCapacity: messages.count) { digests, count in
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
