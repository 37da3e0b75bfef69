/// A decoder of percent-encoded text (RFC 3986 §2.1) that yields one byte at a time and allocates nothing.
///
/// A copy continues independently from the same position.
@frozen @usableFromInline package struct PercentDecoding {
    /// The offset of the next encoded byte.
    @usableFromInline package internal(set) var position: Int
    @usableFromInline let end: Int
    @usableFromInline let readsPlusAsSpace: Bool
    /// Whether a percent sign was not followed by two hexadecimal digits. Such a percent sign is yielded unchanged.
    @usableFromInline package internal(set) var hasInvalidEscape = false

    /// Creates a decoder for a range of bytes.
    ///
    /// - Parameters:
    ///   - range: The offsets of the bytes to decode.
    ///   - readsPlusAsSpace: Whether to decode a plus sign as a space, as in HTML forms.
    @inlinable
    package init(_ range: Range<Int>, readsPlusAsSpace: Bool) {
        (position, end) = (range.lowerBound, range.upperBound)
        self.readsPlusAsSpace = readsPlusAsSpace
    }

    /// Returns the next decoded byte, or `nil` at the end.
    @inlinable @inline(__always)
    package mutating func next(in text: Span<UInt8>) -> UInt8? {
        guard position < end else { return nil }
        let byte = text[position]
        position += 1
        if byte == UInt8(ascii: "%") { return escaped(in: text) }
        return readsPlusAsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte
    }

    /// Returns the remaining decoded bytes.
    package mutating func rest(in text: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(end - position)
        while let byte = next(in: text) { bytes.append(byte) }
        return bytes
    }

    /// Advances while the decoded bytes equal the expected bytes, which must be in lower case. Ignores the case of
    /// letters.
    ///
    /// - Returns: The number of equal bytes.
    @inlinable @inline(__always)
    package mutating func skipPrefix(_ expected: Span<UInt8>, in text: Span<UInt8>) -> Int {
        var count = 0
        while count < expected.count {
            // Only "%" and "+" need decoding, and neither is greater than "+".
            if position < end, text[position] == expected[count], text[position] > UInt8(ascii: "+") {
                position += 1
                count += 1
                continue
            }
            var ahead = self
            guard ahead.next(in: text)?.asciiLowercased == expected[count] else { break }
            self = ahead
            count += 1
        }
        return count
    }

    @inlinable
    mutating func escaped(in text: Span<UInt8>) -> UInt8 {
        guard end - position >= 2, let high = text[position].hexDigitValue, let low = text[position + 1].hexDigitValue
        else {
            hasInvalidEscape = true
            return UInt8(ascii: "%")
        }
        position += 2
        return high << 4 | low
    }
}

/// The result of decoding percent-encoded text once.
package struct PercentDecoded {
    /// The decoded bytes.
    package let bytes: [UInt8]
    /// The number of decoded escapes.
    package let escapeCount: Int
    /// Whether a percent sign was not followed by two hexadecimal digits. `bytes` contains such a percent sign unchanged.
    package let hasInvalidEscape: Bool

    /// Decodes the bytes of a percent-encoded string.
    ///
    /// - Parameter readsPlusAsSpace: Whether to decode a plus sign as a space, as in HTML forms.
    package init(_ text: some Collection<UInt8>, readsPlusAsSpace: Bool = false) {
        let text = ContiguousArray(text)
        var decoding = PercentDecoding(text.indices, readsPlusAsSpace: readsPlusAsSpace)
        bytes = decoding.rest(in: text.span)
        // An escape has three bytes and decodes to one.
        escapeCount = (text.count - bytes.count) / 2
        hasInvalidEscape = decoding.hasInvalidEscape
    }
}

extension String {
    /// Decodes percent-encoded text once. Invalid escapes stay unchanged, and invalid UTF-8 is repaired.
    package init(percentDecoding text: some StringProtocol, readsPlusAsSpace: Bool = false) {
        self.init(decoding: PercentDecoded(text.utf8, readsPlusAsSpace: readsPlusAsSpace).bytes, as: UTF8.self)
    }
}
