import HubText
@testable import SharedAccessSignature

/// A fuzz test that encodes and decodes arbitrary bytes, and decodes them directly. The first two bytes select a range.
enum PercentPart {
    private static let encodings = Array(Set(SASEncoding.allCases.flatMap { [$0.resource, $0.signature] }))

    static func check(_ input: [UInt8]) {
        guard input.count >= 2 else { return }
        let bytes = Array(input.dropFirst(2))
        let lower = Int(input[0]) % (bytes.count + 1)
        let range = lower..<max(lower, bytes.count - Int(input[1]) % (bytes.count + 1))
        checkRoundTrip(bytes, encodings[Int(input[0]) % encodings.count])
        for form in [false, true] { checkDecoding(ContiguousArray(bytes), range, form: form) }
        checkBase64(bytes)
    }

    private static func checkRoundTrip(_ bytes: [UInt8], _ encoding: PercentEncoding) {
        let text = ContiguousArray(encoding.encode(bytes))
        require(
            text.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "&") },
            "encoded text contains a byte that is invalid in a token")
        require(!PercentDecoded(text).hasInvalidEscape, "encoded text contains an invalid escape")
        var decoding = PercentDecoding(text.indices, readsPlusAsSpace: encoding.writesSpaceAsPlus)
        require(
            decoding.rest(in: text.span) == bytes && !decoding.hasInvalidEscape, "decoding does not invert encoding")
    }

    private static func checkDecoding(_ text: ContiguousArray<UInt8>, _ range: Range<Int>, form: Bool) {
        let expected = NaiveCodec.decode(Array(text[range]), form: form)
        var whole = PercentDecoding(range, readsPlusAsSpace: form)
        require(whole.rest(in: text.span) == expected.bytes, "wrong decoded bytes")
        require(whole.hasInvalidEscape == !expected.isValid, "wrong validity of an escape")
        require(whole.position == range.upperBound, "wrong end position")

        var single = PercentDecoding(range, readsPlusAsSpace: form)
        for byte in expected.bytes { require(single.next(in: text.span) == byte, "wrong decoded byte") }
        require(single.next(in: text.span) == nil, "a byte after the end")

        // All decoded bytes, all but the last one, and one byte more.
        let lowercased = NaiveCodec.lowercased(expected.bytes)
        for (other, common) in [
            (lowercased, lowercased.count), (lowercased.dropLast(), max(0, lowercased.count - 1)),
            (lowercased + [0], lowercased.count),
        ] {
            var decoding = PercentDecoding(range, readsPlusAsSpace: form)
            require(
                decoding.skipPrefix(ContiguousArray(other).span, in: text.span) == common,
                "skipPrefix stops at the wrong byte")
            require(
                decoding.rest(in: text.span).elementsEqual(expected.bytes.dropFirst(common)),
                "wrong bytes after skipPrefix")
        }
    }

    private static func checkBase64(_ bytes: [UInt8]) {
        require(decoded(bytes) == NaiveCodec.base64Decoded(bytes), "wrong Base64 decoding")
        require(decoded(NaiveCodec.base64(bytes)) == bytes, "Base64 decoding does not invert encoding")
    }

    private static func decoded(_ base64: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        return Base64.decodeCanonical(ContiguousArray(base64).span, into: &bytes) ? bytes : nil
    }
}
