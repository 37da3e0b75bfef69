// A single file, because debug builds compile files separately and do not inline across files.

/// The SHA-256 compression function in portable Swift.
package enum PortableKernel {
    /// Absorbs whole blocks into one state (FIPS 180-4 §6.2.2).
    ///
    /// - Parameters:
    ///   - state: The words H0 … H7, replaced by the hash value after the last block.
    ///   - blocks: The first of `count` contiguous 64-byte blocks; any alignment.
    ///   - count: The number of blocks.
    @inline(never)
    package static func compress(_ state: inout SIMD8<UInt32>, _ blocks: UnsafeRawPointer, count: Int) {
        var workspace = Workspace()
        unsafe withUnsafeMutableBytes(of: &workspace) { bytes in
            unsafe compress(&state, blocks, count, bytes.baseAddress.unsafelyUnwrapped)
        }
    }

    // Outside the closure, so that the working variables stay in registers.
    @inline(__always)
    private static func compress(
        _ state: inout SIMD8<UInt32>, _ blocks: UnsafeRawPointer, _ count: Int, _ workspace: UnsafeMutableRawPointer
    ) {
        var hash = Hash(state)
        var next = unsafe blocks
        var remaining = count
        while remaining > 0 {
            let before = hash
            var kw = unsafe workspace
            var schedule = unsafe Schedule(next, kw)
            let end = unsafe kw + 48 * 4
            while unsafe kw < end {
                hash = unsafe hash.fourRounds(kw)
                unsafe Workspace.store(schedule.next(), kw + 64)
                hash = unsafe hash.fourRounds(kw + 16)
                unsafe Workspace.store(schedule.next(), kw + 80)
                hash = unsafe hash.fourRounds(kw + 32)
                unsafe Workspace.store(schedule.next(), kw + 96)
                hash = unsafe hash.fourRounds(kw + 48)
                unsafe Workspace.store(schedule.next(), kw + 112)
                unsafe kw += 64
            }
            hash = unsafe hash.fourRounds(kw)
            hash = unsafe hash.fourRounds(kw + 16)
            hash = unsafe hash.fourRounds(kw + 32)
            hash = unsafe hash.fourRounds(kw + 48)
            hash = hash &+ before
            unsafe next += 64
            remaining &-= 1
        }
        state = hash.words
    }
}

/// The working variables a … h (FIPS 180-4 §6.2).
private struct Hash {
    var a, b, c, d, e, f, g, h: UInt32

    /// Performs four rounds, given four words w(t) + K(t).
    @inline(__always)
    func fourRounds(_ kw: UnsafeMutableRawPointer) -> Hash {
        let kw = unsafe kw.assumingMemoryBound(to: UInt32.self)
        return unsafe round(kw[0]).round(kw[1]).round(kw[2]).round(kw[3])
    }

    /// Returns the next round's variables (§6.2.2, step 3).
    @inline(__always)
    private func round(_ kw: UInt32) -> Hash {
        let t1 = (h &+ kw) &+ (bigSigma1(e) &+ ch(e, f, g))
        let t2 = bigSigma0(a) &+ maj(a, b, c)
        return Hash(a: t1 &+ t2, b: a, c: b, d: c, e: d &+ t1, f: e, g: f, h: g)
    }

    /// Adds the previous hash value (§6.2.2, step 4).
    @inline(__always)
    static func &+ (x: Hash, y: Hash) -> Hash {
        Hash(
            a: x.a &+ y.a, b: x.b &+ y.b, c: x.c &+ y.c, d: x.d &+ y.d,
            e: x.e &+ y.e, f: x.f &+ y.f, g: x.g &+ y.g, h: x.h &+ y.h)
    }
}

extension Hash {
    @inline(__always)
    init(_ state: SIMD8<UInt32>) {
        self.init(
            a: state[0], b: state[1], c: state[2], d: state[3], e: state[4], f: state[5], g: state[6], h: state[7])
    }

    @inline(__always)
    var words: SIMD8<UInt32> { SIMD8(a, b, c, d, e, f, g, h) }
}

// The functions of §4.1.2, some rewritten to use fewer instructions: Maj needs a ^ b, which is the next round's b ^ c,
// and the rotations of Σ0 by 2 and 13 share a rotation by 2.

@inline(__always)
private func ch(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { ((y ^ z) & x) ^ z }

@inline(__always)
private func maj(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { ((x ^ y) & (y ^ z)) ^ y }

@inline(__always)
private func bigSigma0(_ x: UInt32) -> UInt32 { rotr(rotr(x, 11) ^ x, 2) ^ rotr(x, 22) }

@inline(__always)
private func bigSigma1(_ x: UInt32) -> UInt32 { rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25) }

@inline(__always)
private func rotr(_ x: UInt32, _ n: UInt32) -> UInt32 { (x &>> n) | (x &<< (32 &- n)) }

private typealias Words = SIMD4<UInt32>

/// The latest sixteen words of the message schedule, four per vector, so that vector and scalar arithmetic overlap.
private struct Schedule {
    private var w0, w4, w8, w12: Words

    /// Loads the big-endian words of a block and writes them, plus their constants, to the workspace.
    @inline(__always)
    init(_ block: UnsafeRawPointer, _ kw: UnsafeMutableRawPointer) {
        w0 = unsafe bigEndianWords(block)
        w4 = unsafe bigEndianWords(block + 16)
        w8 = unsafe bigEndianWords(block + 32)
        w12 = unsafe bigEndianWords(block + 48)
        unsafe Workspace.store(w0, kw)
        unsafe Workspace.store(w4, kw + 16)
        unsafe Workspace.store(w8, kw + 32)
        unsafe Workspace.store(w12, kw + 48)
    }

    /// Computes and returns the next four words, which replace the first four (§6.2.2, step 1).
    ///
    /// The third and the fourth new word depend on the first two.
    @inline(__always)
    mutating func next() -> Words {
        let w1 = Words(w0[1], w0[2], w0[3], w4[0])
        let w9 = Words(w8[1], w8[2], w8[3], w12[0])
        let t = w0 &+ w9 &+ smallSigma0(w1)
        let half = t &+ smallSigma1(Words(w12[2], w12[3], 0, 0))
        let w16 = half &+ smallSigma1(Words(0, 0, half[0], half[1]))
        (w0, w4, w8, w12) = (w4, w8, w12, w16)
        return w16
    }
}

@inline(__always)
private func bigEndianWords(_ bytes: UnsafeRawPointer) -> Words {
    let w = unsafe bytes.loadUnaligned(as: Words.self)
    return Words(w[0].bigEndian, w[1].bigEndian, w[2].bigEndian, w[3].bigEndian)
}

// The functions of §4.1.2 on four words.

@inline(__always)
private func smallSigma0(_ x: Words) -> Words { rotr(x, 7) ^ rotr(x, 18) ^ (x &>> 3) }

@inline(__always)
private func smallSigma1(_ x: Words) -> Words { rotr(x, 17) ^ rotr(x, 19) ^ (x &>> 10) }

/// A product and a sum, because the optimizer splits vector shifts combined with `|` into scalar code.
@inline(__always)
private func rotr(_ x: Words, _ n: UInt32) -> Words { (x &>> n) &+ (x &* Words(repeating: 1 &<< (32 &- n))) }

/// A block's words w(t) + K(t), followed by the constants, so that one pointer reaches both.
private struct Workspace {
    private var kw = SIMD64<UInt32>()
    private var k = roundConstants

    /// Stores four words plus their constants at `kw`.
    @inline(__always)
    static func store(_ w: Words, _ kw: UnsafeMutableRawPointer) {
        unsafe kw.storeBytes(of: w &+ kw.load(fromByteOffset: 64 * 4, as: Words.self), as: Words.self)
    }
}

/// The constants K (FIPS 180-4 §4.2.2), as a tuple because the compiler initializes it statically.
private let roundConstants:
    (
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32,
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32,
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32,
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32,
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32,
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32,
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32,
        UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32
    ) = (
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5,
        0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
        0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc,
        0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
        0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3,
        0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5,
        0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
        0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2
    )
