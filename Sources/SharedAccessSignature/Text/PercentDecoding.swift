/// A way through an encoded text that yields its decoded bytes, and allocates nothing. A copy goes on from the same place.
package struct PercentDecoding {
    private(set) var position: Int
    private let end: Int
    /// Whether a plus sign is a space, as in forms.
    private let readsPlusAsSpace: Bool
    /// Whether a percent sign came without two hexadecimal digits behind it. It was yielded as it is.
    package private(set) var hasBadEscape = false

    package init(_ range: Range<Int>, readsPlusAsSpace: Bool) {
        (position, end) = (range.lowerBound, range.upperBound)
        self.readsPlusAsSpace = readsPlusAsSpace
    }

    /// The next byte, each escape read once, in either case; `nil` at the end.
    @inline(__always)
    mutating func next(in text: Span<UInt8>) -> UInt8? {
        guard position < end else { return nil }
        let byte = text[position]
        position += 1
        if byte == UInt8(ascii: "%") { return escaped(in: text) }
        return readsPlusAsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte
    }

    /// All bytes that are left.
    package mutating func rest(in text: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(end - position)
        while let byte = next(in: text) { bytes.append(byte) }
        return bytes
    }

    /// Goes on as long as the decoded bytes, in lower case, are those of another text.
    ///
    /// - Returns: how many bytes there were.
    @inline(__always)
    mutating func pass(_ expected: Span<UInt8>, in text: Span<UInt8>) -> Int {
        var count = 0
        while count < expected.count {
            // Behind the marks that encode something, a byte stands for itself.
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

    private mutating func escaped(in text: Span<UInt8>) -> UInt8 {
        guard end - position >= 2, let high = text[position].hexDigitValue, let low = text[position + 1].hexDigitValue
        else {
            hasBadEscape = true
            return UInt8(ascii: "%")
        }
        position += 2
        return high << 4 | low
    }
}

extension Span<UInt8> {
    /// Whether every percent sign in a range has two hexadecimal digits behind it.
    func hasWholeEscapes(in range: Range<Int>) -> Bool {
        var decoding = PercentDecoding(range, readsPlusAsSpace: false)
        while decoding.next(in: self) != nil {}
        return !decoding.hasBadEscape
    }

    /// Whether a range has just the bytes of another text.
    func matches(_ range: Range<Int>, _ other: Span<UInt8>) -> Bool {
        guard range.count == other.count else { return false }
        for index in other.indices where self[range.lowerBound + index] != other[index] { return false }
        return true
    }
}

extension String {
    /// The decoded text of a range of the bytes.
    func decoded(_ range: Range<Int>, readsPlusAsSpace: Bool) -> String {
        withBytes { bytes in
            var decoding = PercentDecoding(range, readsPlusAsSpace: readsPlusAsSpace)
            return String(decoding: decoding.rest(in: bytes), as: UTF8.self)
        }
    }
}
