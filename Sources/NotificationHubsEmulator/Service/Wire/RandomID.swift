import HubText

/// Random IDs in the service's formats, which are not secret.
package enum RandomID {
    /// Returns 32 hexadecimal digits.
    static func digits() -> String {
        bytes().hexDigits().lossyText
    }

    /// Returns a UUID in lowercase. `UUID()` would open a file for each one.
    package static func uuid() -> String {
        var digits = bytes().hexDigits()
        for index in [20, 16, 12, 8] { digits.insert(UInt8(ascii: "-"), at: index) }
        return digits.lossyText
    }

    private static func bytes() -> [UInt8] {
        (0..<2).flatMap { _ in
            let number = UInt64.random(in: .min ... .max)
            return (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }
}
