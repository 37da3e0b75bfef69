import HubText

/// Random IDs in the service's formats, which are not secret.
package enum RandomID {
    /// Returns 32 hexadecimal digits.
    static func digits() -> String { text(isHyphenated: false) }

    /// Returns a UUID in lowercase. `UUID()` would open a file for each one.
    package static func uuid() -> String { text(isHyphenated: true) }

    private static func text(isHyphenated: Bool) -> String {
        // Each random number is a system call, so the second half is a hash of the first one.
        let first = UInt64.random(in: .min ... .max)
        let second = UInt64(bitPattern: Int64(first.hashValue))
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for index in 0..<16 {
            if isHyphenated, [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            let half = index < 8 ? first : second
            text.append(hexDigitsOf: UInt8(truncatingIfNeeded: half >> (8 * (index % 8))))
        }
        return text.lossyText
    }
}
