import HubText

extension JSONReader {
    /// Reads a text from its opening quote to its closing one.
    mutating func readString() throws(ParseError) -> String {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let string = String(strictUTF8: text) else {
                    throw ParseError(offset: start, reason: "the text is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"):
                offset += 1
                text += UTF8.encode(try readEscape()).map(Array.init) ?? []
            case 0..<0x20:
                throw error("a control character in a text is escaped")
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw ParseError(offset: start, reason: "the text has no end")
    }

    /// Reads what follows a backslash.
    private mutating func readEscape() throws(ParseError) -> Unicode.Scalar {
        guard let byte else { throw error("an escape has no end") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try readUnicodeEscape()
        default:
            offset -= 1
            throw error("there is no such escape")
        }
    }

    /// Reads the digits of `\uXXXX`, and a second escape where the first is half of a surrogate pair.
    private mutating func readUnicodeEscape() throws(ParseError) -> Unicode.Scalar {
        let first = try readFourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xd800...0xdbff).contains(first), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
            throw error("half of a surrogate pair")
        }
        let second = try readFourDigits()
        guard (0xdc00...0xdfff).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
        else { throw error("half of a surrogate pair") }
        return scalar
    }

    private mutating func readFourDigits() throws(ParseError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte, let digit = byte.hexDigitValue else { throw error("a hexadecimal digit is missing") }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
