/// The case of hexadecimal digits.
@usableFromInline
package enum HexDigitCase: Hashable, Sendable {
    case upper
    case lower
}

extension [UInt8] {
    /// Appends the two hexadecimal digits of a byte.
    @inlinable
    package mutating func append(hexDigitsOf byte: UInt8, _ digitCase: HexDigitCase = .lower) {
        let letters = digitCase == .upper ? UInt8(ascii: "A") : UInt8(ascii: "a")
        for value in [byte >> 4, byte & 15] {
            append(value < 10 ? UInt8(ascii: "0") + value : letters + value - 10)
        }
    }
}

extension Sequence<UInt8> {
    /// Returns the bytes as hexadecimal digits, two per byte.
    @inlinable
    package func hexDigits(_ digitCase: HexDigitCase = .lower) -> [UInt8] {
        reduce(into: []) { $0.append(hexDigitsOf: $1, digitCase) }
    }
}

extension Collection<UInt8> {
    /// The bytes represented by hexadecimal digits of either case; `nil` for an odd count or any other byte.
    package var hexDecoded: [UInt8]? {
        guard count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in self {
            guard let value = digit.hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
