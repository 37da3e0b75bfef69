import SharedAccessSignature

/// What may have been signed in place of a token's `sr`.
enum SignedResource {
    /// Each spelling with the mistake that it is; the right one first.
    static func readings(_ raw: [UInt8]) -> [(text: [UInt8], mistake: String?)] {
        let decoded = PercentDecoded(raw, readsPlusAsSpace: true).bytes
        let url = "over the URL before it was encoded: what is signed is sr as the token has it, encoded"
        var readings: [(text: [UInt8], mistake: String?)] = [
            (raw, nil),
            (decoded, url),
            (escapes(raw) { $0.uppercasedHex }, "over sr with upper-case escapes: the token has others"),
            (escapes(raw) { $0.asciiLowercased }, "over sr with lower-case escapes: the token has others"),
            (raw.map(\.asciiLowercased), "over sr in lower case: the token has it in another"),
            (decoded.map(\.asciiLowercased), url + "; and in lower case, which the token is not"),
            (encoded(raw, "0123456789ABCDEF"), "over sr encoded once more than in the token"),
            (encoded(raw, "0123456789abcdef"), "over sr encoded once more than in the token"),
        ]
        for slash in ["%2F", "%2f", "/"] {
            readings.append((raw + Array(slash.utf8), "over sr with a slash at its end, which the token has not"))
            if raw.count > slash.utf8.count, raw.suffix(slash.utf8.count).elementsEqual(slash.utf8) {
                readings.append(
                    (raw.dropLast(slash.utf8.count), "over sr without the slash that the token has at its end"))
            }
        }
        let scheme = "over another scheme than the token's: http and https are different texts"
        if raw.starts(ignoringCase: "https") {
            readings.append((Array("http".utf8) + raw.dropFirst("https".utf8.count), scheme))
        } else if raw.starts(ignoringCase: "http") {
            readings.append((Array("https".utf8) + raw.dropFirst("http".utf8.count), scheme))
        }
        return readings
    }

    /// The text with each escape's digits changed.
    private static func escapes(_ text: [UInt8], _ change: (UInt8) -> UInt8) -> [UInt8] {
        text.indices.map { index in
            let isDigit =
                index >= 1 && text[index - 1] == UInt8(ascii: "%") || index >= 2 && text[index - 2] == UInt8(ascii: "%")
            return isDigit ? change(text[index]) : text[index]
        }
    }

    /// The text percent-encoded, once more if it is already.
    private static func encoded(_ text: [UInt8], _ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        return text.flatMap { byte in
            byte.isLetter || byte.isASCIIDigit || "-._~".utf8.contains(byte)
                ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}

extension UInt8 {
    fileprivate var uppercasedHex: UInt8 { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self) ? self & 0xdf : self }
}
