/// What an HMAC key comes to: the hash values after its inner and its outer block (FIPS 198-1 §4).
///
/// A key costs two compressions to make, and every code made with it two less.
struct KeyStates {
    private(set) var inner: HashValue
    private(set) var outer: HashValue

    /// Absorbs a secret. It is not kept, and the block that it was put into is overwritten.
    @inline(__always)
    init(_ secret: UnsafeRawBufferPointer, _ kernels: KernelChoice) {
        (inner, outer) = (SHA256.initialHash, SHA256.initialHash)
        // K₀: the secret, or its digest if it is longer than a block, and zeros behind it.
        var block = SIMD64<UInt8>.zero
        unsafe withUnsafeMutableBytes(of: &block) { block in
            defer { unsafe HubCrypto.wipe(block) }
            if secret.count <= SHA256.blockByteCount {
                unsafe block.copyMemory(from: secret)
            } else {
                unsafe SHA256.hash(bufferPointer: secret, kernels: kernels).withUnsafeBytes {
                    unsafe block.copyMemory(from: $0)
                }
            }
            let start = unsafe UnsafeRawPointer(block.baseAddress.unsafelyUnwrapped)
            unsafe Self.xor(block, 0x3636_3636_3636_3636)
            unsafe kernels.compress(&inner, start, count: 1)
            unsafe Self.xor(block, 0x3636_3636_3636_3636 ^ 0x5c5c_5c5c_5c5c_5c5c)
            unsafe kernels.compress(&outer, start, count: 1)
        }
    }

    mutating func wipe() {
        unsafe withUnsafeMutableBytes(of: &self) { unsafe HubCrypto.wipe($0) }
    }

    @inline(__always)
    private static func xor(_ block: UnsafeMutableRawBufferPointer, _ pad: UInt64) {
        let words = unsafe block.assumingMemoryBound(to: UInt64.self)
        for index in words.indices { unsafe words[index] ^= pad }
    }
}

extension KernelChoice {
    /// H(K₀ ⊕ opad ‖ H(K₀ ⊕ ipad ‖ message)): the hash value of a message's authentication code.
    @inline(__always)
    func hash(_ message: UnsafeRawBufferPointer, _ states: KeyStates) -> HashValue {
        var inner = states.inner
        unsafe absorbEnd(&inner, message, after: UInt64(SHA256.blockByteCount))
        return outerHash(inner, states)
    }

    /// H(K₀ ⊕ opad ‖ inner): a message of two blocks, the first of which is in the state already.
    @inline(__always)
    func outerHash(_ inner: HashValue, _ states: KeyStates) -> HashValue {
        var hash = states.outer
        var block = OuterBlock(inner)
        unsafe withUnsafeMutableBytes(of: &block) {
            unsafe compress(&hash, UnsafeRawPointer($0.baseAddress.unsafelyUnwrapped), count: 1)
        }
        return hash
    }
}

/// The block behind the outer key block: the inner digest, the padding, and the length of both blocks' data in bits.
struct OuterBlock {
    private let digest: BigEndianWords
    private let padding = SIMD8<UInt32>(
        UInt32(0x8000_0000).bigEndian, 0, 0, 0, 0, 0, 0, UInt32((64 + 32) * 8).bigEndian)

    @inline(__always)
    init(_ inner: HashValue) {
        digest = BigEndianWords(inner)
    }
}
