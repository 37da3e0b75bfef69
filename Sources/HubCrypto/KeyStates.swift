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

/// The hash values after the inner and the outer key block of HMAC (FIPS 198-1 §4), and the kernels that compute them.
///
/// Preparing a key costs two compressions and saves two for every code. `absorb` overwrites every buffer that held the
/// secret before it returns. The owner must wipe the states.
@usableFromInline
package struct KeyStates {
    private(set) var inner = SHA256.initialHash
    private(set) var outer = SHA256.initialHash
    let kernels: KernelChoice

    /// Creates the initial states, without a key.
    init(_ kernels: KernelChoice) {
        self.kernels = kernels
    }

    /// Absorbs a secret.
    @inline(__always)
    mutating func absorb(_ secret: UnsafeRawBufferPointer) {
        unsafe withKeyBlock { [kernels] block in
            if secret.count <= SHA256.blockByteCount {
                unsafe block.copyMemory(from: secret)
            } else {
                var hash = SHA256.initialHash
                unsafe Self.digest(&hash, secret, after: 0, into: block, kernels)
            }
        }
    }

    /// Absorbs a secret whose bytes are not contiguous.
    mutating func absorb(sequence secret: some Sequence<UInt8>) {
        unsafe withKeyBlock { [kernels] block in
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
            unsafe Self.digest(&hash, rest, after: absorbedCount, into: block, kernels)
        }
    }

    /// Absorbs the whole blocks that all messages start with into the inner state.
    mutating func absorb(blocks: UnsafeRawBufferPointer, count: Int) {
        guard count > 0 else { return }
        unsafe kernels.compress(&inner, blocks.baseAddress.unsafelyUnwrapped, count: count)
    }

    mutating func wipe() {
        unsafe withUnsafeMutableBytes(of: &self) { unsafe HubCrypto.wipe($0) }
    }

    /// Calls `write` to fill a zeroed block with K₀, then absorbs it with both pads.
    @inline(__always)
    private mutating func withKeyBlock(_ write: (UnsafeMutableRawBufferPointer) -> Void) {
        var block = SIMD64<UInt8>.zero
        unsafe withUnsafeMutableBytes(of: &block) { block in
            let start = unsafe UnsafeRawPointer(block.baseAddress.unsafelyUnwrapped)
            unsafe write(block)
            unsafe Self.xor(block, 0x3636_3636_3636_3636)
            unsafe kernels.compress(&inner, start, count: 1)
            unsafe Self.xor(block, 0x3636_3636_3636_3636 ^ 0x5c5c_5c5c_5c5c_5c5c)
            unsafe kernels.compress(&outer, start, count: 1)
            unsafe HubCrypto.wipe(block)
            // The portable kernel leaves its message schedule on the stack; compressing zeros overwrites it.
            if kernels.single == .portable {
                var scratch = HashValue.zero
                unsafe kernels.compress(&scratch, start, count: 1)
            }
        }
    }

    /// Replaces the content of `block` with the digest of a secret longer than a block, followed by zeros.
    @inline(__always)
    private static func digest(
        _ hash: inout HashValue, _ rest: UnsafeRawBufferPointer, after byteCount: UInt64,
        into block: UnsafeMutableRawBufferPointer, _ kernels: KernelChoice
    ) {
        var end = MessageEnd()
        unsafe kernels.absorbEnd(&hash, rest, after: byteCount, &end)
        unsafe withUnsafeMutableBytes(of: &end) { unsafe HubCrypto.wipe($0) }
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

extension KeyStates {
    /// The inner hash after the key block, for a message that is absorbed in parts.
    var innerHasher: SHA256 {
        SHA256(hash: inner, messageByteCount: UInt64(SHA256.blockByteCount), kernels: kernels)
    }

    /// Returns the hash value of a message's authentication code, H(K₀ ⊕ opad ‖ H(K₀ ⊕ ipad ‖ message)).
    ///
    /// A short message is copied, so that its blocks and the outer block are compressed in one call.
    @inline(__always)
    func hash(_ message: UnsafeRawBufferPointer) -> HashValue {
        var hash = inner
        var restCount = message.count
        if restCount > MessageEnd.maximumByteCount {
            unsafe kernels.compress(&hash, message.baseAddress.unsafelyUnwrapped, count: restCount / 64)
            restCount &= 63
        }
        var end = MessageEnd()
        let byteCount = UInt64(SHA256.blockByteCount) &+ UInt64(message.count)
        unsafe end.withBlocks(endOf: message, count: restCount, of: byteCount) { blocks, count in
            unsafe kernels.authenticate(&hash, outer: outer, blocks, count: count)
        }
        return hash
    }

    /// Returns the authentication code of two parts with a separator between them.
    ///
    /// A message of up to four blocks, padding included, is assembled on the stack. The string that a token signs usually
    /// fits.
    @usableFromInline
    package func authenticationCode(
        joining first: Span<UInt8>, _ separator: UInt8, _ second: Span<UInt8>
    ) -> HMAC.AuthenticationCode {
        let byteCount = first.count + 1 + second.count
        let blockCount = MessageEnd.blockCount(forRest: byteCount)
        guard blockCount <= 4 else { return streamed(first, separator, second) }

        var hash = inner
        var blocks = (SIMD64<UInt8>.zero, SIMD64<UInt8>.zero, SIMD64<UInt8>.zero, SIMD64<UInt8>.zero)
        unsafe withUnsafeMutableBytes(of: &blocks) { blocks in
            unsafe first.withUnsafeBytes { unsafe blocks.copyMemory(from: $0) }
            unsafe blocks[first.count] = separator
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: blocks[(first.count + 1)...])
            unsafe second.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
            unsafe MessageEnd.pad(blocks, byteCount, blockCount, after: UInt64(SHA256.blockByteCount))
            unsafe kernels.authenticate(&hash, outer: outer, blocks.baseAddress.unsafelyUnwrapped, count: blockCount)
        }
        return HMAC.AuthenticationCode(hash)
    }

    private func streamed(
        _ first: Span<UInt8>, _ separator: UInt8, _ second: Span<UInt8>
    ) -> HMAC.AuthenticationCode {
        var inner = innerHasher
        unsafe first.withUnsafeBytes { unsafe inner.update(bufferPointer: $0) }
        inner.update(data: CollectionOfOne(separator))
        unsafe second.withUnsafeBytes { unsafe inner.update(bufferPointer: $0) }
        return HMAC.AuthenticationCode(inner.authenticationHash(outer: outer))
    }
}

extension HMAC {
    /// The storage of the states derived from a key, shared by all copies of the value that uses them.
    ///
    /// Unchecked `Sendable`: the states are written only in `init` and `deinit`, when no other thread has a reference.
    @safe @usableFromInline final class KeyStorage: @unchecked Sendable {
        /// Exclusivity checks are unnecessary: there are no writes between `init` and `deinit`.
        @exclusivity(unchecked) @usableFromInline private(set) var states: KeyStates

        /// Creates the storage and completes its states.
        ///
        /// - Parameters:
        ///   - states: The states to start from, which are not secret.
        ///   - absorb: Absorbs a secret or a prefix directly into the stored states.
        init(_ states: KeyStates, absorb: (inout KeyStates) -> Void) {
            unsafe self.states = states
            unsafe absorb(&self.states)
        }

        deinit {
            unsafe states.wipe()
        }
    }
}

/// Overwrites memory with zeros through a call that the optimizer cannot remove.
func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    #if canImport(Darwin)
    unsafe memset_s(start, bytes.count, 0, bytes.count)
    #else
    unsafe explicit_bzero(start, bytes.count)
    #endif
    #if DEBUG && !hasFeature(Embedded)
    Wiping.observer?(unsafe Array(bytes))
    #endif
}

#if DEBUG && !hasFeature(Embedded)
/// Shows the tests which memory is wiped.
package enum Wiping {
    /// Receives a copy of all memory that the current task wipes, taken after the wipe.
    @TaskLocal package static var observer: (@Sendable ([UInt8]) -> Void)?
}
#endif
