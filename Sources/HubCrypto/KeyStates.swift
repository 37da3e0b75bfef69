#if hasFeature(Embedded)
@_extern(c, "explicit_bzero")
private func explicit_bzero(_ start: UnsafeMutableRawPointer, _ count: Int)
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An HMAC key, absorbed: the hash values after its inner and its outer block (FIPS 198-1 §4).
///
/// A key costs two compressions to make, and every code made with it two less. All that a secret touches on its way is
/// overwritten before `absorb` returns; the states themselves are for their owner to wipe.
struct KeyStates {
    /// Is shown memory that has been wiped, before it is gone: for tests.
    typealias WipeHook = @Sendable (UnsafeRawBufferPointer) -> Void

    private(set) var inner = SHA256.initialHash
    private(set) var outer = SHA256.initialHash

    /// Absorbs a secret.
    @inline(__always)
    mutating func absorb(_ secret: UnsafeRawBufferPointer, _ kernels: KernelChoice, onWipe: WipeHook? = nil) {
        unsafe withKeyBlock(kernels, onWipe) { block in
            if secret.count <= SHA256.blockByteCount {
                unsafe block.copyMemory(from: secret)
            } else {
                var hash = SHA256.initialHash
                unsafe Self.digest(&hash, secret, after: 0, into: block, kernels, onWipe)
            }
        }
    }

    /// Absorbs a secret whose bytes are not contiguous.
    mutating func absorb(sequence secret: some Sequence<UInt8>, _ kernels: KernelChoice, onWipe: WipeHook? = nil) {
        unsafe withKeyBlock(kernels, onWipe) { block in
            var hash = SHA256.initialHash
            var absorbedCount: UInt64 = 0
            var count = 0
            for byte in secret {
                if count == SHA256.blockByteCount {
                    unsafe kernels.compress(&hash, UnsafeRawPointer(block.baseAddress.unsafelyUnwrapped), count: 1)
                    absorbedCount += UInt64(count)
                    count = 0
                }
                unsafe block[count] = byte
                count += 1
            }
            guard absorbedCount > 0 else { return }
            let rest = unsafe UnsafeRawBufferPointer(rebasing: block[..<count])
            unsafe Self.digest(&hash, rest, after: absorbedCount, into: block, kernels, onWipe)
        }
    }

    /// Absorbs the whole blocks that messages begin with.
    mutating func absorb(blocks: UnsafeRawBufferPointer, count: Int, _ kernels: KernelChoice) {
        guard count > 0 else { return }
        unsafe kernels.compress(&inner, blocks.baseAddress.unsafelyUnwrapped, count: count)
    }

    mutating func wipe(_ onWipe: WipeHook? = nil) {
        unsafe withUnsafeMutableBytes(of: &self) { bytes in
            unsafe HubCrypto.wipe(bytes)
            unsafe onWipe?(UnsafeRawBufferPointer(bytes))
        }
    }

    /// Has K₀ written to a block of zeros, and absorbs it with both pads.
    @inline(__always)
    private mutating func withKeyBlock(
        _ kernels: KernelChoice, _ onWipe: WipeHook?, _ write: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        var block = SIMD64<UInt8>.zero
        unsafe withUnsafeMutableBytes(of: &block) { block in
            let start = unsafe UnsafeRawPointer(block.baseAddress.unsafelyUnwrapped)
            unsafe write(block)
            unsafe Self.xor(block, 0x3636_3636_3636_3636)
            unsafe kernels.compress(&inner, start, count: 1)
            unsafe Self.xor(block, 0x3636_3636_3636_3636 ^ 0x5c5c_5c5c_5c5c_5c5c)
            unsafe kernels.compress(&outer, start, count: 1)
            unsafe HubCrypto.wipe(block)
            unsafe onWipe?(UnsafeRawBufferPointer(block))
            // The portable kernel's message schedule is on the stack: zeros overwrite the key there.
            if kernels.single == .portable {
                var nothing = HashValue.zero
                unsafe kernels.compress(&nothing, start, count: 1)
            }
        }
    }

    /// Writes the digest of a secret that is longer than a block to the start of `block`, and zeros after it.
    @inline(__always)
    private static func digest(
        _ hash: inout HashValue, _ rest: UnsafeRawBufferPointer, after byteCount: UInt64,
        into block: UnsafeMutableRawBufferPointer, _ kernels: KernelChoice, _ onWipe: WipeHook?
    ) {
        var end = MessageEnd()
        unsafe kernels.absorbEnd(&hash, rest, after: byteCount, &end)
        unsafe withUnsafeMutableBytes(of: &end) { end in
            unsafe HubCrypto.wipe(end)
            unsafe onWipe?(UnsafeRawBufferPointer(end))
        }
        unsafe HubCrypto.wipe(block)
        unsafe block.storeBytes(of: BigEndianWords(hash), as: BigEndianWords.self)
        unsafe withUnsafeMutableBytes(of: &hash) { unsafe HubCrypto.wipe($0) }
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

/// The block after the outer key block: the inner digest, the padding, and the length of both blocks' data in bits.
struct OuterBlock {
    private let digest: BigEndianWords
    private let padding = SIMD8<UInt32>(
        UInt32(0x8000_0000).bigEndian, 0, 0, 0, 0, 0, 0, UInt32((64 + 32) * 8).bigEndian)

    @inline(__always)
    init(_ inner: HashValue) {
        digest = BigEndianWords(inner)
    }
}

extension HMAC {
    /// Where the states made from a key are, once for all copies of the value that uses them.
    ///
    /// Sendable although unchecked: nothing writes to the states between `init` and `deinit`, and in neither does any other
    /// thread have a reference.
    @safe final class KeyStorage: @unchecked Sendable {
        /// Read without an exclusivity check: there are no writes between `init` and `deinit`.
        @exclusivity(unchecked) private(set) var states: KeyStates
        let kernels: KernelChoice
        private let onWipe: (@Sendable (UnsafeRawBufferPointer) -> Void)?

        /// - Parameters:
        ///   - onWipe: is called with the states' memory after it was overwritten, and before it is released.
        ///   - absorb: absorbs the secret, right where the states are to stay.
        init(
            _ kernels: KernelChoice, _ onWipe: (@Sendable (UnsafeRawBufferPointer) -> Void)?,
            absorb: (inout KeyStates) -> Void
        ) {
            unsafe states = KeyStates()
            self.kernels = kernels
            unsafe self.onWipe = onWipe
            unsafe absorb(&states)
        }

        deinit {
            unsafe states.wipe(onWipe)
        }
    }
}

/// Overwrites memory with zeros by a call that the optimiser may not drop.
func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    #if canImport(Darwin)
    unsafe memset_s(start, bytes.count, 0, bytes.count)
    #else
    unsafe explicit_bzero(start, bytes.count)
    #endif
}
