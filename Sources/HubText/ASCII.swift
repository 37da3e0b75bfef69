extension UInt8 {
    /// Whether the byte is an ASCII digit.
    @inlinable package var isASCIIDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }

    /// Whether the byte is an ASCII letter of either case.
    @inlinable package var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    /// Whether the byte is an ASCII letter or digit.
    @inlinable package var isASCIILetterOrDigit: Bool { isASCIIDigit || isASCIILetter }

    /// Whether the byte is a space, or a control character from tab (0x09) to carriage return (0x0d).
    @inlinable package var isASCIIWhitespace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }

    /// Whether the byte is a hexadecimal digit of either case.
    @inlinable package var isASCIIHexDigit: Bool { hexDigitValue != nil }

    /// The value of a hexadecimal digit of either case, 0 to 15; `nil` for any other byte.
    @inlinable @inline(__always) package var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The byte with an ASCII letter converted to lower case.
    @inlinable package var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension Sequence<UInt8> {
    /// The bytes with ASCII letters converted to lower case.
    @inlinable package var asciiLowercased: [UInt8] { map(\.asciiLowercased) }

    /// Returns whether the bytes equal a string, ignoring the case of ASCII letters.
    @inlinable
    package func isEqual(ignoringCase text: some StringProtocol) -> Bool {
        elementsEqual(text.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Returns whether the bytes start with a string, ignoring the case of ASCII letters.
    @inlinable
    package func starts(ignoringCase text: some StringProtocol) -> Bool {
        starts(with: text.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension Collection<UInt8> where Index == Int {
    /// Returns the index of the first occurrence of a non-empty ASCII string, ignoring the case of letters.
    ///
    /// The standard library's search would link its regular expression engine.
    @inlinable
    package func firstIndex(ignoringCase text: String) -> Int? {
        let text = text.utf8.asciiLowercased
        guard let first = text.first else { return nil }
        return indices.first {
            self[$0].asciiLowercased == first && self[$0...].lazy.map(\.asciiLowercased).starts(with: text)
        }
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without ASCII whitespace at either end.
    @inlinable
    package var trimmed: SubSequence {
        let start = firstIndex { !$0.isASCIIWhitespace } ?? endIndex
        let last = lastIndex { !$0.isASCIIWhitespace }
        return self[start..<(last.map { index(after: $0) } ?? start)]
    }
}
