/// The eight working variables of FIPS 180-4 §6.2.2, steps 2 and 3.
struct WorkingVariables {
    var a, b, c, d, e, f, g, h: UInt32

    @inline(__always)
    init(_ hash: SIMD8<UInt32>) {
        (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
        (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
    }

    @inline(__always)
    var words: SIMD8<UInt32> {
        SIMD8(a, b, c, d, e, f, g, h)
    }

    /// Sixteen rounds. After eight the variables have moved through all names and stand where they began.
    @inline(__always)
    mutating func rounds(
        _ w: MessageSchedule,
        _ k0: UInt32, _ k1: UInt32, _ k2: UInt32, _ k3: UInt32, _ k4: UInt32, _ k5: UInt32, _ k6: UInt32, _ k7: UInt32,
        _ k8: UInt32, _ k9: UInt32, _ k10: UInt32, _ k11: UInt32,
        _ k12: UInt32, _ k13: UInt32, _ k14: UInt32, _ k15: UInt32
    ) {
        round(a, b, c, &d, e, f, g, &h, k0 &+ w.w0)
        round(h, a, b, &c, d, e, f, &g, k1 &+ w.w1)
        round(g, h, a, &b, c, d, e, &f, k2 &+ w.w2)
        round(f, g, h, &a, b, c, d, &e, k3 &+ w.w3)
        round(e, f, g, &h, a, b, c, &d, k4 &+ w.w4)
        round(d, e, f, &g, h, a, b, &c, k5 &+ w.w5)
        round(c, d, e, &f, g, h, a, &b, k6 &+ w.w6)
        round(b, c, d, &e, f, g, h, &a, k7 &+ w.w7)
        round(a, b, c, &d, e, f, g, &h, k8 &+ w.w8)
        round(h, a, b, &c, d, e, f, &g, k9 &+ w.w9)
        round(g, h, a, &b, c, d, e, &f, k10 &+ w.w10)
        round(f, g, h, &a, b, c, d, &e, k11 &+ w.w11)
        round(e, f, g, &h, a, b, c, &d, k12 &+ w.w12)
        round(d, e, f, &g, h, a, b, &c, k13 &+ w.w13)
        round(c, d, e, &f, g, h, a, &b, k14 &+ w.w14)
        round(b, c, d, &e, f, g, h, &a, k15 &+ w.w15)
    }
}

/// One round: the sum T₁ goes to `d`, and `h` becomes T₁ + T₂, the next round's `a`.
@inline(__always)
private func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
    _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ constantAndWord: UInt32
) {
    let t1 = h &+ bigSigma1(e) &+ choose(e, f, g) &+ constantAndWord
    d &+= t1
    h = t1 &+ bigSigma0(a) &+ majority(a, b, c)
}

/// Ch of FIPS 180-4 §4.1.2, with one operation less than (x ∧ y) ⊕ (¬x ∧ z).
@inline(__always)
private func choose(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 {
    ((y ^ z) & x) ^ z
}

/// Maj of FIPS 180-4 §4.1.2, with one operation less than (x ∧ y) ⊕ (x ∧ z) ⊕ (y ∧ z).
@inline(__always)
private func majority(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 {
    (x & y) | ((x | y) & z)
}

/// Σ₀ of FIPS 180-4 §4.1.2.
@inline(__always)
private func bigSigma0(_ x: UInt32) -> UInt32 {
    x.rotatedRight(2) ^ x.rotatedRight(13) ^ x.rotatedRight(22)
}

/// Σ₁ of FIPS 180-4 §4.1.2.
@inline(__always)
private func bigSigma1(_ x: UInt32) -> UInt32 {
    x.rotatedRight(6) ^ x.rotatedRight(11) ^ x.rotatedRight(25)
}
