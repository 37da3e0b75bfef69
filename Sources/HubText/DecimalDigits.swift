/// Conversion of a number to decimal digits on the stack.
///
/// `@usableFromInline`, because the compiler does not inline functions of a `package` type into other modules.
@usableFromInline package enum DecimalDigits {
    /// The number of digits of the largest `UInt64`.
    @usableFromInline static let maximumCount = 20

    /// Calls `body` with the digits of a number, most significant first.
    ///
    /// - Parameter number: A number that is not negative.
    @inlinable @inline(__always)
    package static func of<Result>(_ number: Int64, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumCount) { digits in
            var rest = UInt64(number)
            var start = maximumCount
            // Two digits per division, because each division depends on the previous one.
            while rest >= 10 {
                let pair = UInt32(truncatingIfNeeded: rest % 100)
                rest /= 100
                start -= 2
                unsafe digits.initializeElement(at: start, to: digit(pair / 10))
                unsafe digits.initializeElement(at: start + 1, to: digit(pair % 10))
            }
            if rest > 0 || start == maximumCount {
                start -= 1
                unsafe digits.initializeElement(at: start, to: digit(UInt32(rest)))
            }
            return unsafe body(UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    @usableFromInline
    static func digit(_ value: UInt32) -> UInt8 {
        UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value)
    }
}
