import HubText

extension Span<UInt8> {
    /// Returns the index of the first invalid character or incomplete escape in a value; `nil` if there is none.
    ///
    /// Visible ASCII characters are valid. A percent sign must precede two hexadecimal digits.
    func firstInvalidIndex(in value: Range<Int>) -> Int? {
        var index = value.lowerBound
        while index < value.upperBound {
            switch self[index] {
            case UInt8(ascii: "%"):
                guard value.upperBound - index > 2, self[index + 1].isASCIIHexDigit, self[index + 2].isASCIIHexDigit
                else { return index }
                index += 3
            case 0x21...0x7e: index += 1
            default: return index
            }
        }
        return nil
    }

    /// Returns whether `firstInvalidIndex` finds nothing from a start that has two bytes before it, none of them a percent
    /// sign.
    ///
    /// The loop has no branches and no checks of bounds and overflow, so the compiler vectorizes it.
    func isVisibleAndEscaped(from start: Int) -> Bool {
        precondition(start >= 2 && start <= count, "there must be two bytes before the start")
        let percent = UInt8(ascii: "%")
        var invalid = UInt8(0)
        var index = start
        while index < count {
            let byte = unsafe self[unchecked: index]
            let isInvisible: UInt8 = byte &- 0x21 < 0x7f - 0x21 ? 0 : 1
            let isDigit: UInt8 = byte &- UInt8(ascii: "0") < 10 ? 1 : 0
            let isLetter: UInt8 = (byte | 0x20) &- UInt8(ascii: "a") < 6 ? 1 : 0
            let isFirst: UInt8 = unsafe self[unchecked: index &- 1] == percent ? 1 : 0
            let isSecond: UInt8 = unsafe self[unchecked: index &- 2] == percent ? 1 : 0
            invalid |= isInvisible | (isFirst | isSecond) & ~(isDigit | isLetter)
            index &+= 1
        }
        return invalid == 0 && self[count - 1] != percent && self[count - 2] != percent
    }
}
