import HubCrypto
import HubLock
import Testing

@Suite struct WipingTests {
    /// Copies of the wiped memory, taken just before its release.
    private let wiped = Locked<[[UInt8]]>([])

    @Test func `wipes a key's states with its last copy`() {
        var key: HMAC.Key? = key(patternBytes(32))
        wiped.withLock { $0 = [] }
        var copy = key
        var mac = key.map { HMAC(key: $0) }
        key = nil
        mac = nil
        #expect(wiped.withLock { $0 }.isEmpty, "a copy still exists")
        #expect(copy?.authenticationCode(for: [1]) == HMAC.authenticationCode(for: [1], using: patternBytes(32)))
        copy = nil
        #expect(wiped.withLock { $0 } == [[UInt8](repeating: 0, count: MemoryLayout<KeyStates>.size)])
        _ = mac
    }

    /// The lengths of secrets with the sizes of the buffers that hold them: the key block, and for a long secret also the
    /// last blocks of its hash.
    static let blocks = [(32, [64]), (64, [64]), (65, [128, 64]), (200, [128, 64])]

    @Test(arguments: blocks)
    func `wipes the buffers that held the secret when a key is created`(length: Int, blocks: [Int]) {
        let ofBytes = key(patternBytes(length))
        #expect(wiped.withLock { $0 } == blocks.map { [UInt8](repeating: 0, count: $0) })

        wiped.withLock { $0 = [] }
        let ofSequence = unsafe HMAC.Key(ofSequence: AnySequence(patternBytes(length)), onWipe: onWipe)
        #expect(wiped.withLock { $0 } == blocks.map { [UInt8](repeating: 0, count: $0) })
        #expect(ofSequence.authenticationCode(for: [1]) == ofBytes.authenticationCode(for: [1]))
    }

    @Test(arguments: blocks)
    func `wipes the buffers and the states of a key that is used once`(length: Int, blocks: [Int]) {
        let code = unsafe patternBytes(length).withUnsafeBytes { secret in
            unsafe HMAC.authenticationCode(
                bufferPointer: UnsafeRawBufferPointer(start: nil, count: 0), using: secret, onWipe: onWipe)
        }
        #expect(
            wiped.withLock { $0 } == (blocks + [MemoryLayout<KeyStates>.size]).map { [UInt8](repeating: 0, count: $0) })
        #expect(code == key(patternBytes(length)).authenticationCode(for: []))
    }

    @Test(arguments: [0, 1, 64, 200])
    func `overwrites the secret that a key is created from`(length: Int) {
        var secret = patternBytes(length)
        let key = HMAC.Key(wiping: &secret)
        #expect(secret == [UInt8](repeating: 0, count: length))
        #expect(key.authenticationCode(for: [1]) == HMAC.authenticationCode(for: [1], using: patternBytes(length)))
    }

    private var onWipe: @Sendable (UnsafeRawBufferPointer) -> Void {
        { [wiped] memory in
            let copy = unsafe Array(memory)
            wiped.withLock { $0.append(copy) }
        }
    }

    private func key(_ secret: [UInt8]) -> HMAC.Key {
        unsafe secret.withUnsafeBytes { unsafe HMAC.Key(bufferPointer: $0, kernels: .best, onWipe: onWipe) }
    }
}
