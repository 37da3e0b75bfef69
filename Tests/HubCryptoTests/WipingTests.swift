import HubCrypto
import HubLock
import Testing

@Suite struct WipingTests {
    /// Memory that was wiped, as it was just before it went.
    private let wiped = Locked<[[UInt8]]>([])

    @Test func `a key's states are overwritten when its last copy goes`() {
        var key: HMAC.Key? = key(painted(32))
        wiped.withLock { $0 = [] }
        var copy = key
        var mac = key.map { HMAC(key: $0) }
        key = nil
        mac = nil
        #expect(wiped.withLock { $0 }.isEmpty, "a copy is left")
        #expect(copy?.authenticationCode(for: [1]) == HMAC.authenticationCode(for: [1], using: painted(32)))
        copy = nil
        #expect(wiped.withLock { $0 } == [[UInt8](repeating: 0, count: 64)])
        _ = mac
    }

    /// The blocks that a secret stands in: that of the key, and the end of the message that a longer one is.
    static let blocks = [(32, [64]), (64, [64]), (65, [128, 64]), (200, [128, 64])]

    @Test(arguments: blocks)
    func `the blocks that a secret stood in are overwritten when the key is made`(length: Int, blocks: [Int]) {
        let ofBytes = key(painted(length))
        #expect(wiped.withLock { $0 } == blocks.map { [UInt8](repeating: 0, count: $0) })

        wiped.withLock { $0 = [] }
        let ofSequence = unsafe HMAC.Key(ofSequence: AnySequence(painted(length)), onWipe: note)
        #expect(wiped.withLock { $0 } == blocks.map { [UInt8](repeating: 0, count: $0) })
        #expect(ofSequence.authenticationCode(for: [1]) == ofBytes.authenticationCode(for: [1]))
    }

    @Test(arguments: blocks)
    func `and with the states as well, when a key serves once`(length: Int, blocks: [Int]) {
        let code = unsafe painted(length).withUnsafeBytes { secret in
            unsafe HMAC.authenticationCode(
                bufferPointer: UnsafeRawBufferPointer(start: nil, count: 0), using: secret, onWipe: note)
        }
        #expect(wiped.withLock { $0 } == (blocks + [64]).map { [UInt8](repeating: 0, count: $0) })
        #expect(code == key(painted(length)).authenticationCode(for: []))
    }

    @Test(arguments: [0, 1, 64, 200])
    func `a secret that nobody needs any more is overwritten`(length: Int) {
        var secret = painted(length)
        let key = HMAC.Key(wiping: &secret)
        #expect(secret == [UInt8](repeating: 0, count: length))
        #expect(key.authenticationCode(for: [1]) == HMAC.authenticationCode(for: [1], using: painted(length)))
    }

    private var note: @Sendable (UnsafeRawBufferPointer) -> Void {
        { [wiped] memory in
            let copy = unsafe Array(memory)
            wiped.withLock { $0.append(copy) }
        }
    }

    private func key(_ secret: [UInt8]) -> HMAC.Key {
        unsafe secret.withUnsafeBytes { unsafe HMAC.Key(bufferPointer: $0, kernels: .best, onWipe: note) }
    }
}
