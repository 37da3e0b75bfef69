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
        var hash = Hash(state)
        var next = unsafe blocks
        var remaining = count
        while remaining > 0 {
            let before = hash
            var w = unsafe Schedule(next)
            hash.fourRounds(w.next(), SIMD4(0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5))
            hash.fourRounds(w.next(), SIMD4(0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5))
            hash.fourRounds(w.next(), SIMD4(0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3))
            hash.fourRounds(w.next(), SIMD4(0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174))
            hash.fourRounds(w.next(), SIMD4(0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc))
            hash.fourRounds(w.next(), SIMD4(0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da))
            hash.fourRounds(w.next(), SIMD4(0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7))
            hash.fourRounds(w.next(), SIMD4(0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967))
            hash.fourRounds(w.next(), SIMD4(0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13))
            hash.fourRounds(w.next(), SIMD4(0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85))
            hash.fourRounds(w.next(), SIMD4(0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3))
            hash.fourRounds(w.next(), SIMD4(0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070))
            hash.fourRounds(w.next(), SIMD4(0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5))
            hash.fourRounds(w.next(), SIMD4(0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3))
            hash.fourRounds(w.next(), SIMD4(0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208))
            hash.fourRounds(w.next(), SIMD4(0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2))
            hash.add(before)
            unsafe next += 64
            remaining &-= 1
        }
        state = hash.words
    }
}

private typealias Words = SIMD4<UInt32>

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
    mutating func fourRounds(_ w: Words, _ k: Words) {
        let kw = w &+ k
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

/// The next sixteen words of the message schedule.
private struct Schedule {
    private var w0, w4, w8, w12: Words

    /// Loads the big-endian words of a block.
    @inline(__always)
    init(_ block: UnsafeRawPointer) {
        w0 = unsafe bigEndianWords(block)
        w4 = unsafe bigEndianWords(block + 16)
        w8 = unsafe bigEndianWords(block + 32)
        w12 = unsafe bigEndianWords(block + 48)
    }

    /// Removes and returns the first four words, and appends the four that follow the last (step 1).
    ///
    /// The last four calls of a block append unused words; the compiler removes that work.
    @inline(__always)
    mutating func next() -> Words {
        let first = w0
        let w16 = vsha256su1q_u32(vsha256su0q_u32(w0, w4), w8, w12)
        (w0, w4, w8, w12) = (w4, w8, w12, w16)
        return first
    }
}

@inline(__always)
private func bigEndianWords(_ bytes: UnsafeRawPointer) -> Words {
    let octets = unsafe vrev32q_u8(bytes.loadUnaligned(as: SIMD16<UInt8>.self))
    return unsafe unsafeBitCast(octets, to: Words.self)
}
#endif
