import HubText
@testable import SharedAccessSignature

/// Any bytes, encoded and decoded, and decoded as they are. The first two choose a range.
enum PercentPart {
    private static let encodings = Array(Set(SASEncoding.allCases.flatMap { [$0.resource, $0.signature] }))

    static func check(_ input: [UInt8]) {
        guard input.count >= 2 else { return }
        let bytes = Array(input.dropFirst(2))
        let lower = Int(input[0]) % (bytes.count + 1)
        let range = lower..<max(lower, bytes.count - Int(input[1]) % (bytes.count + 1))
        checkRoundTrip(bytes, encodings[Int(input[0]) % encodings.count])
        for form in [false, true] { checkDecoding(bytes, range, form: form) }
        checkBase64(bytes)
    }

    private static func checkRoundTrip(_ bytes: [UInt8], _ encoding: PercentEncoding) {
        let text = encoding.encode(bytes)
        require(text.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "&") }, "an encoded text breaks a token")
        require(!PercentDecoded(text).hasInvalidEscape, "an encoded text has a broken escape")
        var decoding = PercentDecoding(text.indices, readsPlusAsSpace: encoding.writesSpaceAsPlus)
        require(decoding.rest(in: text.span) == bytes && !decoding.hasInvalidEscape, "decoding does not undo encoding")
    }

    private static func checkDecoding(_ text: [UInt8], _ range: Range<Int>, form: Bool) {
        let expected = NaiveCodec.decode(Array(text[range]), form: form)
        var whole = PercentDecoding(range, readsPlusAsSpace: form)
        require(whole.rest(in: text.span) == expected.bytes, "decoded otherwise")
        require(whole.hasInvalidEscape == !expected.isWhole, "an escape is taken for another kind")
        require(whole.position == range.upperBound, "decoding ends before its end, or behind it")

        var single = PercentDecoding(range, readsPlusAsSpace: form)
        for byte in expected.bytes { require(single.next(in: text.span) == byte, "a byte is decoded otherwise") }
        require(single.next(in: text.span) == nil, "a byte is decoded that is not there")

        // All that it says, all but the last, and one byte more.
        let lowercased = NaiveCodec.lowercased(expected.bytes)
        for (other, common) in [
            (lowercased, lowercased.count), (lowercased.dropLast(), max(0, lowercased.count - 1)),
            (lowercased + [0], lowercased.count),
        ] {
            var way = PercentDecoding(range, readsPlusAsSpace: form)
            require(way.skipPrefix(Array(other).span, in: text.span) == common, "a way ends elsewhere")
            require(way.rest(in: text.span).elementsEqual(expected.bytes.dropFirst(common)), "a way goes on elsewhere")
        }
    }

    private static func checkBase64(_ bytes: [UInt8]) {
        require(decoded(bytes) == NaiveCodec.base64Decoded(bytes), "base64 is read otherwise")
        require(decoded(NaiveCodec.base64(bytes)) == bytes, "base64 of bytes is not these bytes")
    }

    private static func decoded(_ base64: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        return Base64.decodeCanonical(base64.span, into: &bytes) ? bytes : nil
    }
}
