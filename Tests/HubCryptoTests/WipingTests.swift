// Only debug builds show what they wipe. Tests/Proof shows that a key in a release build leaves no secret on the stack.
#if DEBUG
import HubCrypto
import HubLock
import Testing

@Suite struct WipingTests {
    @Test func `wipes a key's states with its last copy`() {
        let key = HMAC.Key(data: patternBytes(32))
        expectWipe(of: consume key) { key in
            let copy = key
            let mac = key.map { HMAC(key: $0) }
            return (copy, mac)
        }
    }

    @Test func `wipes a prefix's states with its last copy`() {
        let prefix = HMAC.Prefix(key: HMAC.Key(data: [1]), prefix: ContiguousArray(patternBytes(100)).span)
        expectWipe(of: consume prefix) { $0 }
    }

    /// The lengths of secrets with the sizes of the buffers that hold them: the key block, and before it for a long secret
    /// the last blocks of its hash, the key block with its last bytes, and its hash.
    static let blocks = [(0, [64]), (32, [64]), (64, [64]), (65, [128, 64, 32, 64]), (200, [128, 64, 32, 64])]

    @Test(arguments: blocks)
    func `wipes the buffers that held the secret when a key is created`(length: Int, blocks: [Int]) {
        var keys: [HMAC.Key] = []
        #expect(wiped { keys.append(HMAC.Key(data: patternBytes(length))) } == blocks)
        #expect(wiped { keys.append(HMAC.Key(data: AnySequence(patternBytes(length)))) } == blocks)
        #expect(keys[0].authenticationCode(for: [1]) == keys[1].authenticationCode(for: [1]))
    }

    @Test(arguments: blocks)
    func `wipes the buffers and the states of a key that is used once`(length: Int, blocks: [Int]) {
        let (secret, expected) = (patternBytes(length), blocks + [MemoryLayout<KeyStates>.size])
        #expect(wiped { _ = HMAC.authenticationCode(for: [], using: secret) } == expected)
        #expect(wiped { _ = HMAC.authenticationCode(for: [], using: AnySequence(secret)) } == expected)
    }

    @Test(arguments: [0, 1, 64, 200])
    func `overwrites the secret that a key is created from`(length: Int) {
        var secret = patternBytes(length)
        let key = HMAC.Key(wiping: &secret)
        #expect(secret == [UInt8](repeating: 0, count: length))
        #expect(key.authenticationCode(for: [1]) == HMAC.authenticationCode(for: [1], using: patternBytes(length)))
    }

    /// Expects that the states of a value are wiped when its last copy is released, and not before.
    private func expectWipe<Value, Copies>(of value: consuming Value, copies: (Value?) -> Copies) {
        var value: Value? = value
        var copy: Copies? = copies(value)
        #expect(wiped { value = nil }.isEmpty, "a copy still exists")
        #expect(wiped { copy = nil } == [MemoryLayout<KeyStates>.size])
        _ = (value, copy)
    }

    /// Returns the sizes of the memory that `body` wipes, in order. Expects zeros in all of it.
    private func wiped(_ body: () -> Void) -> [Int] {
        let counts = Locked<[Int]>([])
        let observer: @Sendable ([UInt8]) -> Void = { bytes in
            #expect(bytes.allSatisfy { $0 == 0 })
            counts.withLock { $0.append(bytes.count) }
        }
        Wiping.$observer.withValue(observer, operation: body)
        return counts.withLock { $0 }
    }
}
#endif
