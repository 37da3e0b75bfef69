/// Comparison that takes the same time wherever two values differ.
///
/// Who may try codes at will, and can tell how many bytes of a wrong one were right, finds the right one in some
/// thousand tries instead of 2²⁵⁵. So every bit of both sides is looked at, differences are gathered without a branch or an
/// address that depends on them, and what comes out is one bit: equal or not. That bit is all that the time tells.
/// `Tests/Scripts/constant-time` shows it on the machine code.
enum ConstantTime {
    /// Kept out of line, so that nothing known of one side at the call turns the comparison into an early exit.
    @inline(never)
    static func areEqual(_ left: SIMD8<UInt32>, _ right: SIMD8<UInt32>) -> Bool {
        var difference: UInt32 = 0
        for index in 0..<8 { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
