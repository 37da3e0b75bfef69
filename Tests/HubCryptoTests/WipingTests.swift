import HubCrypto
import HubLock
import Testing

@Suite struct WipingTests {
    @Test func `a key's states are overwritten when its last copy goes`() {
        let wiped = Locked<[[UInt8]]>([])
        var key: HMAC.Key? = unsafe "secret".utf8.withContiguousStorageIfAvailable {
            unsafe HMAC.Key(bufferPointer: UnsafeRawBufferPointer($0), kernels: .best) { states in
                wiped.withLock { unsafe $0.append(Array(states)) }
            }
        }
        var copy = key
        var mac = key.map { HMAC(key: $0) }
        key = nil
        mac = nil
        #expect(wiped.withLock { $0 }.isEmpty, "a copy is left")
        #expect(copy?.authenticationCode(for: [1]) == HMAC.authenticationCode(for: [1], key: "secret".utf8))
        copy = nil
        #expect(wiped.withLock { $0 } == [[UInt8](repeating: 0, count: 64)])
        _ = mac
    }
}
