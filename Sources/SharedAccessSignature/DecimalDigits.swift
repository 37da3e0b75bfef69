/// The decimal digits of a time, on the stack.
struct DecimalDigits {
    /// Digits from the end on; as many as the largest number has, and one more.
    private var characters = SIMD32<UInt8>.zero
    private let count: Int

    /// - Parameter number: not negative.
    init(_ number: Int64) {
        var rest = UInt64(number)
        var count = 0
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            count += 1
            characters[characters.scalarCount - count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        } while rest > 0
        self.count = count
    }

    /// Calls `body` with the digits, in order.
    func withDigits<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        unsafe withUnsafeBytes(of: characters) { bytes in
            let digits = unsafe UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - count)...])
            return unsafe digits.withMemoryRebound(to: UInt8.self, body)
        }
    }
}
