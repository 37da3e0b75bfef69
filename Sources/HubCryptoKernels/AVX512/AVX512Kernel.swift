#if arch(x86_64)
import _Builtin_intrinsics.intel

// A single file, because debug builds compile files separately and do not inline across files.

/// The SHA-256 compression function on sixteen messages in parallel, one per 32-bit lane of the AVX-512 registers.
///
/// Call it only where CPUID reports AVX512F and AVX512BW and XGETBV reports that the system saves the registers: the
/// whole target is compiled for them.
package enum AVX512Kernel {
    /// Absorbs the same number of blocks into sixteen independent states (FIPS 180-4 §6.2.2).
    ///
    /// - Parameters:
    ///   - states: Sixteen states H0 … H7, each replaced by the hash value after its last block.
    ///   - blocks: Sixteen addresses of `count` contiguous 64-byte blocks each; any alignment.
    ///   - count: The number of blocks per message.
    #if hasAttribute(export) && hasFeature(Embedded)
    @export(interface)
    #endif
    @inline(never)
    package static func compressLanes(
        _ states: UnsafeMutablePointer<SIMD8<UInt32>>, _ blocks: UnsafePointer<UnsafeRawPointer>, count: Int
    ) {
        unsafe withUnsafeBytes(of: roundConstants) { k in
            unsafe compressLanes(
                states, blocks, count, k.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: SixteenConstants.self))
        }
    }

    // Outside the closure, so that the working variables stay in registers. A loop of sixteen rounds, because sixty-four
    // unrolled rounds take the optimizer too long.
    @inline(__always)
    private static func compressLanes(
        _ states: UnsafeMutablePointer<SIMD8<UInt32>>, _ blocks: UnsafePointer<UnsafeRawPointer>, _ count: Int,
        _ k: UnsafePointer<SixteenConstants>
    ) {
        var hash = unsafe Hash(states)
        var offset = 0
        let end = count &* 64
        while offset < end {
            let before = hash
            let w0 = unsafe fourWords(blocks, offset)
            hash = unsafe hash.fourRounds(w0, k[0].0)
            let w4 = unsafe fourWords(blocks, offset &+ 16)
            hash = unsafe hash.fourRounds(w4, k[0].1)
            let w8 = unsafe fourWords(blocks, offset &+ 32)
            hash = unsafe hash.fourRounds(w8, k[0].2)
            let w12 = unsafe fourWords(blocks, offset &+ 48)
            hash = unsafe hash.fourRounds(w12, k[0].3)
            var schedule = Schedule(w0: w0, w4: w4, w8: w8, w12: w12)
            var t = 1
            while t < 4 {
                (hash, schedule) = unsafe hash.fourRounds(after: schedule, k[t].0)
                (hash, schedule) = unsafe hash.fourRounds(after: schedule, k[t].1)
                (hash, schedule) = unsafe hash.fourRounds(after: schedule, k[t].2)
                (hash, schedule) = unsafe hash.fourRounds(after: schedule, k[t].3)
                t &+= 1
            }
            hash = hash &+ before
            offset &+= 64
        }
        unsafe hash.store(states)
    }
}

/// The working variables of sixteen messages (FIPS 180-4 §6.2).
private struct Hash {
    var a, b, c, d, e, f, g, h: Lanes

    /// Returns the next round's variables (§6.2.2, step 3), given w(t) + K(t).
    @inline(__always)
    private func round(_ kw: Lanes) -> Hash {
        let t1 = h &+ kw &+ bigSigma1(e) &+ ch(e, f, g)
        let t2 = bigSigma0(a) &+ maj(a, b, c)
        return Hash(a: t1 &+ t2, b: a, c: b, d: c, e: d &+ t1, f: e, g: f, h: g)
    }

    /// Performs four rounds, given the sixteen preceding words. Also returns the sixteen latest words.
    @inline(__always)
    func fourRounds(after w: Schedule, _ k: FourConstants) -> (Hash, Schedule) {
        let w16 = word(w.w0.0, w.w0.1, w.w8.1, w.w12.2)
        let r1 = round(w16 &+ Lanes(repeating: k.0))
        let w17 = word(w.w0.1, w.w0.2, w.w8.2, w.w12.3)
        let r2 = r1.round(w17 &+ Lanes(repeating: k.1))
        let w18 = word(w.w0.2, w.w0.3, w.w8.3, w16)
        let r3 = r2.round(w18 &+ Lanes(repeating: k.2))
        let w19 = word(w.w0.3, w.w4.0, w.w12.0, w17)
        let r4 = r3.round(w19 &+ Lanes(repeating: k.3))
        return (r4, Schedule(w0: w.w4, w4: w.w8, w8: w.w12, w12: (w16, w17, w18, w19)))
    }

    /// Performs four rounds with words of a block.
    @inline(__always)
    func fourRounds(_ w: FourWords, _ k: FourConstants) -> Hash {
        round(w.0 &+ Lanes(repeating: k.0)).round(w.1 &+ Lanes(repeating: k.1))
            .round(w.2 &+ Lanes(repeating: k.2)).round(w.3 &+ Lanes(repeating: k.3))
    }

    /// Adds the previous hash value (§6.2.2, step 4).
    @inline(__always)
    static func &+ (x: Hash, y: Hash) -> Hash {
        Hash(
            a: x.a &+ y.a, b: x.b &+ y.b, c: x.c &+ y.c, d: x.d &+ y.d,
            e: x.e &+ y.e, f: x.f &+ y.f, g: x.g &+ y.g, h: x.h &+ y.h)
    }
}

/// The sixteen latest words of the message schedules.
private struct Schedule {
    var w0, w4, w8, w12: FourWords
}

/// Returns w(t), computed from w(t - 16), w(t - 15), w(t - 7) and w(t - 2) (step 1).
@inline(__always)
private func word(_ w16: Lanes, _ w15: Lanes, _ w7: Lanes, _ w2: Lanes) -> Lanes {
    (w16 &+ w7) &+ smallSigma0(w15) &+ smallSigma1(w2)
}

// The functions of §4.1.2. Maj is written as a choice: two instructions, the first of which is off the critical path.

@inline(__always)
private func ch(_ x: Lanes, _ y: Lanes, _ z: Lanes) -> Lanes { (x & (y ^ z)) ^ z }

@inline(__always)
private func maj(_ x: Lanes, _ y: Lanes, _ z: Lanes) -> Lanes { ch(x ^ y, z, y) }

@inline(__always)
private func bigSigma0(_ x: Lanes) -> Lanes { x.rotatedRight(2) ^ x.rotatedRight(13) ^ x.rotatedRight(22) }

@inline(__always)
private func bigSigma1(_ x: Lanes) -> Lanes { x.rotatedRight(6) ^ x.rotatedRight(11) ^ x.rotatedRight(25) }

@inline(__always)
private func smallSigma0(_ x: Lanes) -> Lanes { x.rotatedRight(7) ^ x.rotatedRight(18) ^ (x &>> 3) }

@inline(__always)
private func smallSigma1(_ x: Lanes) -> Lanes { x.rotatedRight(17) ^ x.rotatedRight(19) ^ (x &>> 10) }

/// One 32-bit word of each of sixteen messages, with the operations of FIPS 180-4 §2.2.2.
///
/// The operations use compiler intrinsics: the standard library implements the bitwise operators of `SIMD16` element by
/// element, and the optimizer takes almost a minute to vectorize them.
private struct Lanes {
    var register: SIMD8<Int64>

    @inline(__always)
    init(_ register: SIMD8<Int64>) {
        self.register = register
    }

    @inline(__always)
    init(repeating word: UInt32) {
        register = _mm512_set1_epi32(Int32(bitPattern: word))
    }

    @inline(__always)
    static func &+ (x: Lanes, y: Lanes) -> Lanes { Lanes(_mm512_add_epi32(x.register, y.register)) }

    @inline(__always)
    static func & (x: Lanes, y: Lanes) -> Lanes { Lanes(_mm512_and_si512(x.register, y.register)) }

    @inline(__always)
    static func ^ (x: Lanes, y: Lanes) -> Lanes { Lanes(_mm512_xor_si512(x.register, y.register)) }

    @inline(__always)
    static func &>> (x: Lanes, n: UInt32) -> Lanes { Lanes(_mm512_srli_epi32(x.register, n)) }

    /// Returns ROTR(n), which compiles to one `vprold`.
    @inline(__always)
    func rotatedRight(_ n: UInt32) -> Lanes {
        Lanes(_mm512_rorv_epi32(register, Lanes(repeating: n).register))
    }
}

/// Sixteen bytes of one message, a quarter of a block or register.
private typealias Quarter = SIMD2<Int64>

/// The same four words of each of sixteen messages.
private typealias FourWords = (Lanes, Lanes, Lanes, Lanes)

/// Loads four big-endian words of each message's block.
@inline(__always)
private func fourWords(_ blocks: UnsafePointer<UnsafeRawPointer>, _ offset: Int) -> FourWords {
    @inline(__always) func row(_ i: Int) -> SIMD8<Int64> {
        let row = spread { unsafe blocks[i &+ $0].loadUnaligned(fromByteOffset: offset, as: Quarter.self) }
        let order = _mm512_broadcast_i32x4(Quarter(0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b))
        return _mm512_shuffle_epi8(row, order)
    }
    return transposed(row(0), row(1), row(2), row(3))
}

/// Returns the quarters 0, 4, 8 and 12 in one register. Four such rows, which start at 0, 1, 2 and 3, need only a
/// transposition within the quarters of the registers.
@inline(__always)
private func spread(_ quarter: (Int) -> Quarter) -> SIMD8<Int64> {
    var row = _mm512_broadcast_i32x4(quarter(0))
    row = _mm512_mask_broadcast_i32x4(row, 0x00f0, quarter(4))
    row = _mm512_mask_broadcast_i32x4(row, 0x0f00, quarter(8))
    return _mm512_mask_broadcast_i32x4(row, 0xf000, quarter(12))
}

/// Transposes four rows into four columns within each quarter of the registers.
@inline(__always)
private func transposed(
    _ p: SIMD8<Int64>, _ q: SIMD8<Int64>, _ r: SIMD8<Int64>, _ s: SIMD8<Int64>
) -> FourWords {
    let (pq01, pq23) = (_mm512_unpacklo_epi32(p, q), _mm512_unpackhi_epi32(p, q))
    let (rs01, rs23) = (_mm512_unpacklo_epi32(r, s), _mm512_unpackhi_epi32(r, s))
    return (
        Lanes(_mm512_unpacklo_epi64(pq01, rs01)), Lanes(_mm512_unpackhi_epi64(pq01, rs01)),
        Lanes(_mm512_unpacklo_epi64(pq23, rs23)), Lanes(_mm512_unpackhi_epi64(pq23, rs23))
    )
}

extension Hash {
    /// Loads the working variables from sixteen states.
    @inline(__always)
    init(_ states: UnsafePointer<SIMD8<UInt32>>) {
        @inline(__always) func row(_ i: Int, _ offset: Int) -> SIMD8<Int64> {
            spread {
                unsafe UnsafeRawPointer(states + (i &+ $0)).loadUnaligned(fromByteOffset: offset, as: Quarter.self)
            }
        }
        (a, b, c, d) = transposed(row(0, 0), row(1, 0), row(2, 0), row(3, 0))
        (e, f, g, h) = transposed(row(0, 16), row(1, 16), row(2, 16), row(3, 16))
    }

    /// Stores the working variables to sixteen states.
    @inline(__always)
    func store(_ states: UnsafeMutablePointer<SIMD8<UInt32>>) {
        @inline(__always) func store(_ rows: FourWords, _ offset: Int) {
            store(rows.0, 0, offset)
            store(rows.1, 1, offset)
            store(rows.2, 2, offset)
            store(rows.3, 3, offset)
        }
        @inline(__always) func store(_ row: Lanes, _ i: Int, _ offset: Int) {
            let quarters = unsafe unsafeBitCast(row, to: (Quarter, Quarter, Quarter, Quarter).self)
            let state = unsafe UnsafeMutableRawPointer(states + i) + offset
            unsafe state.storeBytes(of: quarters.0, as: Quarter.self)
            unsafe state.storeBytes(of: quarters.1, toByteOffset: 4 * 32, as: Quarter.self)
            unsafe state.storeBytes(of: quarters.2, toByteOffset: 8 * 32, as: Quarter.self)
            unsafe state.storeBytes(of: quarters.3, toByteOffset: 12 * 32, as: Quarter.self)
        }
        store(transposed(a.register, b.register, c.register, d.register), 0)
        store(transposed(e.register, f.register, g.register, h.register), 16)
    }
}
#endif
