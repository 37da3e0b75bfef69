import HubText

extension SASToken {
    /// Whether the token names a key, in one of the spellings that signers have: as it is, percent-encoded, encoded as in a
    /// form, or that twice.
    ///
    /// The name is not signed. It picks the keys that are tried, and their signature decides.
    func names(_ keyName: String, in text: Span<UInt8>) -> Bool {
        keyName.withBytes { name in
            Self.isEqual(text, rawKeyName, name)
                || Self.matches(PercentDecoding(rawKeyName, readsPlusAsSpace: false), text, name)
                || Self.matches(PercentDecoding(rawKeyName, readsPlusAsSpace: true), text, name)
                || Self.matchesTwice(PercentDecoding(rawKeyName, readsPlusAsSpace: true), text, name)
        }
    }

    /// What is left of a name when it is decoded until nothing changes any more: the same for all that one token can name.
    static func plainestReading(of name: [UInt8]) -> [UInt8] {
        let decoded = PercentDecoded(name, readsPlusAsSpace: true).bytes
        return decoded == name ? name : plainestReading(of: decoded)
    }

    private static func isEqual(_ text: Span<UInt8>, _ range: Range<Int>, _ name: Span<UInt8>) -> Bool {
        guard range.count == name.count else { return false }
        for index in name.indices where text[range.lowerBound + index] != name[index] { return false }
        return true
    }

    private static func matches(_ decoding: PercentDecoding, _ text: Span<UInt8>, _ name: Span<UInt8>) -> Bool {
        var decoding = decoding
        for index in name.indices {
            guard decoding.next(in: text) == name[index] else { return false }
        }
        return decoding.next(in: text) == nil && !decoding.hasInvalidEscape
    }

    private static func matchesTwice(_ decoding: PercentDecoding, _ text: Span<UInt8>, _ name: Span<UInt8>) -> Bool {
        var decoding = decoding
        for index in name.indices {
            guard nextTwice(&decoding, text) == name[index] else { return false }
        }
        return decoding.next(in: text) == nil && !decoding.hasInvalidEscape
    }

    /// The next byte of a text that was encoded twice; `nil` at its end, and where it was not.
    private static func nextTwice(_ decoding: inout PercentDecoding, _ text: Span<UInt8>) -> UInt8? {
        guard let byte = decoding.next(in: text) else { return nil }
        if byte == UInt8(ascii: "+") { return UInt8(ascii: " ") }
        guard byte == UInt8(ascii: "%") else { return byte }
        guard let high = decoding.next(in: text)?.hexDigitValue, let low = decoding.next(in: text)?.hexDigitValue else {
            return nil
        }
        return high << 4 | low
    }
}
