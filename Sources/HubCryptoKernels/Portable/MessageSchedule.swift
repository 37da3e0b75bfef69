/// Sixteen consecutive words of the message schedule W, of which each later one follows (FIPS 180-4 §6.2.2 step 1).
///
/// Sixteen variables rather than an array of 64: all of them stay in registers or in one cache line.
struct MessageSchedule {
    var w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15: UInt32

    /// W₀ to W₁₅: the block's own words, big-endian.
    @inline(__always)
    init(_ block: UnsafeRawPointer) {
        func word(_ index: Int) -> UInt32 {
            unsafe UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
        (w0, w1, w2, w3) = (word(0), word(1), word(2), word(3))
        (w4, w5, w6, w7) = (word(4), word(5), word(6), word(7))
        (w8, w9, w10, w11) = (word(8), word(9), word(10), word(11))
        (w12, w13, w14, w15) = (word(12), word(13), word(14), word(15))
    }

    /// Goes on from Wₜ … Wₜ₊₁₅ to Wₜ₊₁₆ … Wₜ₊₃₁.
    @inline(__always)
    mutating func advance() {
        w0 &+= sigma1(w14) &+ w9 &+ sigma0(w1)
        w1 &+= sigma1(w15) &+ w10 &+ sigma0(w2)
        w2 &+= sigma1(w0) &+ w11 &+ sigma0(w3)
        w3 &+= sigma1(w1) &+ w12 &+ sigma0(w4)
        w4 &+= sigma1(w2) &+ w13 &+ sigma0(w5)
        w5 &+= sigma1(w3) &+ w14 &+ sigma0(w6)
        w6 &+= sigma1(w4) &+ w15 &+ sigma0(w7)
        w7 &+= sigma1(w5) &+ w0 &+ sigma0(w8)
        w8 &+= sigma1(w6) &+ w1 &+ sigma0(w9)
        w9 &+= sigma1(w7) &+ w2 &+ sigma0(w10)
        w10 &+= sigma1(w8) &+ w3 &+ sigma0(w11)
        w11 &+= sigma1(w9) &+ w4 &+ sigma0(w12)
        w12 &+= sigma1(w10) &+ w5 &+ sigma0(w13)
        w13 &+= sigma1(w11) &+ w6 &+ sigma0(w14)
        w14 &+= sigma1(w12) &+ w7 &+ sigma0(w15)
        w15 &+= sigma1(w13) &+ w8 &+ sigma0(w0)
    }
}

/// σ₀ of FIPS 180-4 §4.1.2.
@inline(__always)
private func sigma0(_ x: UInt32) -> UInt32 {
    x.rotatedRight(7) ^ x.rotatedRight(18) ^ (x &>> 3)
}

/// σ₁ of FIPS 180-4 §4.1.2.
@inline(__always)
private func sigma1(_ x: UInt32) -> UInt32 {
    x.rotatedRight(17) ^ x.rotatedRight(19) ^ (x &>> 10)
}

extension UInt32 {
    /// ROTRⁿ of FIPS 180-4 §3.2.
    @inline(__always)
    func rotatedRight(_ n: UInt32) -> UInt32 {
        (self &>> n) | (self &<< (32 &- n))
    }
}
