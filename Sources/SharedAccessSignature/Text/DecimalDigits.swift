/// The decimal digits of a time, on the stack.
enum DecimalDigits {
    /// As many as the largest number has.
    private static let maximumCount = 19

    /// Calls `body` with a number's digits, in order.
    ///
    /// - Parameter number: not negative.
    static func of<Result>(_ number: Int64, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumCount) { digits in
            var rest = UInt64(number)
            var start = maximumCount
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                unsafe digits.initializeElement(at: start, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
                rest = quotient
            } while rest > 0
            return unsafe body(UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }
}
