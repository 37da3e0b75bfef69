import SharedAccessSignature

/// What percent-encoding becomes: one reading of a text.
struct PercentDecoded {
    /// The decoded bytes. An escape that is none stays as it is.
    private(set) var bytes: [UInt8] = []
    /// How many escapes were read, and how many of them had an upper-case or a lower-case letter for a digit.
    private(set) var escapeCount = 0
    private(set) var upperCount = 0
    private(set) var lowerCount = 0
    /// Where the first percent sign without two hexadecimal digits behind it is, from the beginning.
    private(set) var badEscape: Int?

    /// Reads each escape once.
    ///
    /// - Parameter readsPlusAsSpace: whether a plus sign is a space, as in forms.
    init(_ text: some Collection<UInt8>, readsPlusAsSpace: Bool) {
        let text = Array(text)
        var position = 0
        while position < text.count {
            let byte = text[position]
            if byte == UInt8(ascii: "%") {
                if position + 2 < text.count, let high = text[position + 1].hexDigitValue,
                    let low = text[position + 2].hexDigitValue
                {
                    bytes.append(high << 4 | low)
                    count(text[position + 1], text[position + 2])
                    position += 3
                    continue
                }
                if badEscape == nil { badEscape = position }
            }
            bytes.append(readsPlusAsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            position += 1
        }
    }

    private mutating func count(_ digits: UInt8...) {
        escapeCount += 1
        if digits.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }) { upperCount += 1 }
        if digits.contains(where: { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }) { lowerCount += 1 }
    }
}
