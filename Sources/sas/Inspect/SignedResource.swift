import HubText

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
        let places = [escapes(raw) { $0.uppercasedHex }, escapes(raw) { $0.asciiLowercased }]
        for text in [raw] + places {
            readings.append((lowercasedOutsideEscapes(text), "over the URL in lower case: the token has it in another"))
        }
        for (text, isEncoded) in [(raw, true)] + places.map({ ($0, true) }) + [(decoded, false)] {
            readings += otherSchemes(text).map { ($0, isEncoded ? $1 : "\($1), and \(url)") }
        }
        return readings
    }

    /// The text with each other scheme that people write there, and without one.
    private static func otherSchemes(_ text: [UInt8]) -> [(text: [UInt8], mistake: String)] {
        let separators = ["%3A%2F%2F", "%3a%2f%2f", "://"]
        let own = separators.compactMap { separator in
            text.firstIndex(ignoringCase: separator).map { ($0, text[$0...].prefix(separator.utf8.count)) }
        }.min { $0.0 < $1.0 }
        guard let (end, separator) = own else {
            return separators.flatMap { separator in
                ["https", "http", "sb"].map {
                    (Array(($0 + separator).utf8) + text, "over \($0):// before sr, which the token has not")
                }
            }
        }
        let place = text[separator.endIndex...]
        let others = ["https", "http", "sb", "amqps"].filter { !text[..<end].isEqual(ignoringCase: $0) }
        return others.map {
            let mistake = "over another scheme than the token's, \($0): schemes are a part of the text that is signed"
            return (Array($0.utf8) + separator + place, mistake)
        } + [(Array(place), "over sr without its scheme, which the token has")]
    }

    private static func lowercasedOutsideEscapes(_ text: [UInt8]) -> [UInt8] {
        text.indices.map { isEscapeDigit(text, $0) ? text[$0] : text[$0].asciiLowercased }
    }

    /// The text with each escape's digits changed.
    private static func escapes(_ text: [UInt8], _ change: (UInt8) -> UInt8) -> [UInt8] {
        text.indices.map { isEscapeDigit(text, $0) ? change(text[$0]) : text[$0] }
    }

    private static func isEscapeDigit(_ text: [UInt8], _ index: Int) -> Bool {
        index >= 1 && text[index - 1] == UInt8(ascii: "%") || index >= 2 && text[index - 2] == UInt8(ascii: "%")
    }

    /// The text percent-encoded, once more if it is already.
    static func encoded(_ text: [UInt8], _ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        return text.flatMap { byte in
            byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte)
                ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}

extension UInt8 {
    fileprivate var uppercasedHex: UInt8 { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self) ? self & 0xdf : self }
}
