import HubText

/// Random IDs in the service's formats, which are not secret.
package enum RandomID {
    /// Returns 32 hexadecimal digits.
    static func digits() -> String {
        bytes().hexDigits().lossyText
    }

    /// Returns a UUID in lowercase. `UUID()` would open a file for each one.
    package static func uuid() -> String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in bytes().enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(hexDigitsOf: byte)
        }
        return text.lossyText
    }

    private static func bytes() -> [UInt8] {
        // Each random number is a system call.
        let halves = (0..<2).map { _ in UInt64.random(in: .min ... .max) }
        return (0..<16).map { UInt8(truncatingIfNeeded: halves[$0 / 8] >> (8 * ($0 % 8))) }
    }
}
