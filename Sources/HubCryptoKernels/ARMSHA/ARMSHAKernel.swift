#if arch(arm64)
internal import _Builtin_intrinsics.arm.neon

// A single file, because debug builds compile files separately and do not inline across files.

/// The SHA-256 compression function on the Armv8 SHA-2 instructions.
///
/// Call it only where the system reports these instructions (Linux: `HWCAP_SHA2`; Apple silicon always has them): the
/// whole target is compiled for them.
package enum ARMSHAKernel {
    /// Absorbs whole blocks into one state (FIPS 180-4 §6.2.2).
    ///
    /// - Parameters:
    ///   - state: The words H0 … H7, replaced by the hash value after the last block.
    ///   - blocks: The first of `count` contiguous 64-byte blocks; any alignment.
    ///   - count: The number of blocks.
    #if hasAttribute(export) && hasFeature(Embedded)
    @export(interface)
    #endif
    @inline(never)
    package static func compress(_ state: inout SIMD8<UInt32>, _ blocks: UnsafeRawPointer, count: Int) {
        var stream = unsafe Stream(state, blocks)
        var remaining = count
        while remaining > 0 {
            unsafe stream.load()
            unsafe stream.absorb()
            remaining &-= 1
        }
        state = unsafe stream.hash.words
    }

    /// Absorbs the last blocks of a message into the inner state of HMAC, then the inner digest into the outer state
    /// (FIPS 198-1 §4). The digest stays in registers.
    ///
    /// - Parameters:
    ///   - state: The inner state, replaced by the hash value of the authentication code.
    ///   - outer: The outer state, after the outer key block.
    ///   - blocks: The first of `count` contiguous 64-byte blocks, padding included; any alignment.
    ///   - count: The number of blocks.
    #if hasAttribute(export) && hasFeature(Embedded)
    @export(interface)
    #endif
    @inline(never)
    package static func authenticate(
        _ state: inout SIMD8<UInt32>, _ outer: SIMD8<UInt32>, _ blocks: UnsafeRawPointer, count: Int
    ) {
        var stream = unsafe Stream(state, blocks)
        var remaining = count
        while remaining > 0 {
            unsafe stream.load()
            unsafe stream.absorb()
            remaining &-= 1
        }
        unsafe stream.loadDigest()
        unsafe stream.hash = Hash(outer)
        unsafe stream.absorb()
        state = unsafe stream.hash.words
    }

    /// Absorbs the same number of blocks into two independent states.
    ///
    /// The rounds are interleaved: each message's rounds fill the latency of the other's.
    #if hasAttribute(export) && hasFeature(Embedded)
    @export(interface)
    #endif
    @inline(never)
    package static func compressPair(
        _ first: inout SIMD8<UInt32>, _ firstBlocks: UnsafeRawPointer,
        _ second: inout SIMD8<UInt32>, _ secondBlocks: UnsafeRawPointer, count: Int
    ) {
        var one = unsafe Stream(first, firstBlocks)
        var two = unsafe Stream(second, secondBlocks)
        var remaining = count
        while remaining > 0 {
            let (oneBefore, twoBefore) = unsafe (one.hash, two.hash)
            unsafe one.load()
            unsafe two.load()
            forEachConstants { k in
                unsafe one.fourRounds(k)
                unsafe two.fourRounds(k)
            }
            unsafe one.hash.add(oneBefore)
            unsafe two.hash.add(twoBefore)
            remaining &-= 1
        }
        first = unsafe one.hash.words
        second = unsafe two.hash.words
    }
}

private typealias Words = SIMD4<UInt32>

/// Calls `body` with the constants K (§4.2.2), four at a time.
@inline(__always)
private func forEachConstants(_ body: (Words) -> Void) {
    body(SIMD4(0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5))
    body(SIMD4(0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5))
    body(SIMD4(0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3))
    body(SIMD4(0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174))
    body(SIMD4(0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc))
    body(SIMD4(0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da))
    body(SIMD4(0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7))
    body(SIMD4(0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967))
    body(SIMD4(0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13))
    body(SIMD4(0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85))
    body(SIMD4(0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3))
    body(SIMD4(0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070))
    body(SIMD4(0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5))
    body(SIMD4(0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3))
    body(SIMD4(0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208))
    body(SIMD4(0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2))
}

/// The working variables, four per register.
private struct Hash {
    private var abcd: Words
    private var efgh: Words

    @inline(__always)
    init(_ state: SIMD8<UInt32>) {
        abcd = state.lowHalf
        efgh = state.highHalf
    }

    @inline(__always)
    var words: SIMD8<UInt32> { SIMD8(lowHalf: abcd, highHalf: efgh) }

    /// Performs four rounds (§6.2.2, step 3).
    @inline(__always)
    mutating func fourRounds(_ kw: Words) {
        let before = abcd
        abcd = vsha256hq_u32(abcd, efgh, kw)
        efgh = vsha256h2q_u32(efgh, before, kw)
    }

    /// Adds the previous hash value (§6.2.2, step 4).
    @inline(__always)
    mutating func add(_ other: Hash) {
        abcd &+= other.abcd
        efgh &+= other.efgh
    }
}

/// The state of one message: the address of its next block, the working variables and the sixteen latest words of the
/// message schedule.
@unsafe private struct Stream {
    var hash: Hash
    private var next: UnsafeRawPointer
    private var w0 = Words(), w4 = Words(), w8 = Words(), w12 = Words()

    @inline(__always)
    init(_ state: SIMD8<UInt32>, _ blocks: UnsafeRawPointer) {
        unsafe hash = Hash(state)
        unsafe next = blocks
    }

    /// Loads the next block's sixteen big-endian words.
    @inline(__always)
    mutating func load() {
        unsafe w0 = bigEndianWords(next)
        unsafe w4 = bigEndianWords(next + 16)
        unsafe w8 = bigEndianWords(next + 32)
        unsafe w12 = bigEndianWords(next + 48)
        unsafe next += 64
    }

    /// Loads the inner digest and the padding of the outer hash's last block: one bit, and the length of 96 bytes.
    @inline(__always)
    mutating func loadDigest() {
        let digest = unsafe hash.words
        unsafe (w0, w4) = (digest.lowHalf, digest.highHalf)
        unsafe (w8, w12) = (Words(0x8000_0000, 0, 0, 0), Words(0, 0, 0, 96 * 8))
    }

    /// Absorbs the loaded block.
    @inline(__always)
    mutating func absorb() {
        let before = unsafe hash
        forEachConstants { unsafe fourRounds($0) }
        unsafe hash.add(before)
    }

    /// Performs four rounds (§6.2.2, step 3) and computes the schedule words sixteen positions later (step 1).
    ///
    /// The last four calls of a block compute unused words; the compiler removes that work.
    @inline(__always)
    mutating func fourRounds(_ k: Words) {
        unsafe hash.fourRounds(k &+ w0)
        let w16 = unsafe vsha256su1q_u32(vsha256su0q_u32(w0, w4), w8, w12)
        unsafe (w0, w4, w8, w12) = (w4, w8, w12, w16)
    }
}

@inline(__always)
private func bigEndianWords(_ bytes: UnsafeRawPointer) -> Words {
    let octets = unsafe vrev32q_u8(bytes.loadUnaligned(as: SIMD16<UInt8>.self))
    return unsafe unsafeBitCast(octets, to: Words.self)
}
#endif
