/// Base64 with the standard alphabet and padding (RFC 4648 §4), read in its one canonical spelling: whole groups of four,
/// padded, unused bits zero.
enum Base64 {
    /// Appends the bytes of a text.
    ///
    /// - Parameter bytes: where they go; some of them, if the text is in any other spelling.
    /// - Returns: whether it is in no other spelling.
    ///
    /// Which characters the text has shows neither in a branch nor in an address: it may be a key.
    static func decode(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
        guard text.count % 4 == 0 else { return false }
        var end = text.count
        while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }

        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        var errors: Int32 = 0
        for index in 0..<end {
            let sextet = sextet(text[index])
            errors |= sextet
            bits = bits << 6 | UInt32(truncatingIfNeeded: sextet & 63)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        let unused = bits & ((1 << bitCount) - 1)
        return errors >= 0 && unused == 0
    }

    /// The six bits that a character stands for; negative if it is not in the alphabet.
    @inline(__always)
    static func sextet(_ character: UInt8) -> Int32 {
        let character = Int32(character)
        // For a character of the range, the product of the signs is -1, and the mask has all bits; else none.
        func offset(_ first: UInt8, _ last: UInt8, _ value: Int32) -> Int32 {
            ((Int32(first) &- 1 &- character) & (character &- Int32(last) &- 1)) &>> 31 & (value &+ 1)
        }
        return -1
            &+ offset(UInt8(ascii: "A"), UInt8(ascii: "Z"), character &- 65)
            &+ offset(UInt8(ascii: "a"), UInt8(ascii: "z"), character &- 97 &+ 26)
            &+ offset(UInt8(ascii: "0"), UInt8(ascii: "9"), character &- 48 &+ 52)
            &+ offset(UInt8(ascii: "+"), UInt8(ascii: "+"), 62)
            &+ offset(UInt8(ascii: "/"), UInt8(ascii: "/"), 63)
    }
}
