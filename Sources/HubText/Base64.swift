/// Base64 decoding (RFC 4648).
@usableFromInline package enum Base64 {
    /// Decodes canonical Base64: the standard alphabet (§4), padded, with zero unused bits (§3.5).
    ///
    /// Except for the padding, no branch and no address depends on the characters, because the text can be a key.
    ///
    /// - Parameter bytes: The array to append to. Some bytes may be appended even if the text is not canonical.
    /// - Returns: Whether the text is canonical.
    package static func decodeCanonical(_ text: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
        guard text.count % 4 == 0 else { return false }
        var end = text.count
        while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }

        bytes.reserveCapacity(text.count / 4 * 3)
        var decoder = Decoder()
        for index in 0..<end {
            if let byte = decoder.append(sextet(text[index])) { bytes.append(byte) }
        }
        return decoder.isCanonical
    }

    /// Decodes Base64 in the standard or the URL alphabet (§5), padded or unpadded. Returns `nil` for invalid text.
    package static func decodeLenient(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var decoder = Decoder()
        var count = 0
        var paddingCount = 0
        for byte in text {
            if byte == UInt8(ascii: "=") {
                paddingCount += 1
                continue
            }
            guard paddingCount == 0, let value = value(byte) else { return nil }
            count += 1
            if let byte = decoder.append(Int32(value)) { bytes.append(byte) }
        }
        return count % 4 == 1 || paddingCount > 2 ? nil : bytes
    }

    /// A decoder that takes one character at a time.
    ///
    /// No branch and no address depends on the characters, except on their number.
    @frozen @usableFromInline package struct Decoder {
        @usableFromInline var bits: UInt32 = 0
        @usableFromInline var bitCount: UInt32 = 0
        @usableFromInline var errors: Int32 = 0

        @inlinable package init() {}

        /// Appends the value of a character, six bits, or a negative number for an invalid character.
        ///
        /// - Returns: The next byte, if its bits are complete.
        @inlinable @inline(__always)
        package mutating func append(_ sextet: Int32) -> UInt8? {
            errors |= sextet
            bits = bits << 6 | UInt32(truncatingIfNeeded: sextet & 63)
            bitCount += 6
            guard bitCount >= 8 else { return nil }
            bitCount -= 8
            return UInt8(truncatingIfNeeded: bits >> bitCount)
        }

        /// Whether all characters are valid, and the unused bits are zero.
        @inlinable package var isCanonical: Bool { errors >= 0 && bits & ((1 << bitCount) - 1) == 0 }
    }

    /// Returns whether a byte is in the standard or the URL alphabet.
    package static func isCharacter(_ character: UInt8) -> Bool { sextet(inStandardAlphabet(character)) >= 0 }

    /// Returns the six bits that a character of the standard or the URL alphabet represents; `nil` for any other byte.
    package static func value(_ character: UInt8) -> UInt8? {
        UInt8(exactly: sextet(inStandardAlphabet(character)))
    }

    private static func inStandardAlphabet(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: character
        }
    }

    /// Returns the six bits that a character of the standard alphabet represents, or a negative value for any other
    /// character.
    ///
    /// Executes the same instructions for each character.
    @inline(__always)
    package static func sextet(_ character: UInt8) -> Int32 {
        let character = Int32(character)
        // Within the range, both differences are negative, so the shifted sign is a mask of ones; otherwise it is 0.
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
