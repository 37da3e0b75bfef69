import HubText
import Testing

@Suite struct TextTests {
    @Test(
        arguments: [
            ("", [], 0, false), ("abc", Array("abc".utf8), 0, false), ("%41%6a%6A", Array("Ajj".utf8), 3, false),
            ("%2541", Array("%41".utf8), 1, false), ("a+b", Array("a+b".utf8), 0, false),
            ("%", Array("%".utf8), 0, true),
            ("%4", Array("%4".utf8), 0, true), ("%4g%41", Array("%4gA".utf8), 1, true), ("%ff", [0xff], 1, false),
        ] as [(String, [UInt8], Int, Bool)])
    func `decodes each escape once and keeps invalid ones`(
        text: String, bytes: [UInt8], escapeCount: Int, hasInvalidEscape: Bool
    ) {
        let decoded = PercentDecoded(text.utf8)
        #expect(decoded.bytes == bytes)
        #expect(decoded.escapeCount == escapeCount)
        #expect(decoded.hasInvalidEscape == hasInvalidEscape)
    }

    @Test func `counts the general category Cc as control characters`() {
        let scalars =
            (0..<0x3000).compactMap(Unicode.Scalar.init)
            + (0x3000...0x10ffff).filter { $0 % 61 == 0 }.compactMap(Unicode.Scalar.init)
        #expect(scalars.allSatisfy { $0.isControl == ($0.properties.generalCategory == .control) })
    }

    @Test func `decodes a plus sign as a space only in forms`() {
        #expect(String(percentDecoding: "a+%2B", readsPlusAsSpace: true) == "a +")
        #expect(String(percentDecoding: "a+%2B") == "a++")
    }

    @Test(
        arguments: [
            ("", []), ("AA==", [0]), ("AA", [0]), ("-_8", [0xfb, 0xff]), ("+/8=", [0xfb, 0xff]), ("AAA", [0, 0]),
            ("AB==", [0]), ("A", nil), ("AA=A", nil), ("AA===", nil), ("A A=", nil), ("é", nil),
        ] as [(String, [UInt8]?)])
    func `decodes Base64 leniently`(text: String, bytes: [UInt8]?) {
        #expect(Base64.decodeLenient(text.utf8) == bytes)
    }

    @Test(arguments: [("", true), ("AA==", true), ("+/8=", true), ("AA", false), ("AB==", false), ("-_8=", false)])
    func `accepts only canonical Base64 in strict decoding`(text: String, isCanonical: Bool) {
        var bytes: [UInt8] = []
        #expect(Base64.decodeCanonical(ContiguousArray(text.utf8).span, into: &bytes) == isCanonical)
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
    ])
    func `writes and parses HTTP dates`(seconds: Int64, text: String) throws {
        let time = try #require(Timestamp(seconds: seconds))
        #expect(HTTPDate.text(time) == text)
        #expect(HTTPDate.time(text) == time)
    }

    @Test(arguments: [
        "Thu, 31 Feb 2000 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:61 GMT", "Thu, 01 Jan 1970 24:00:00 GMT",
        "Thursday, 01-Jan-70 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 UTC", "Thu, 01 jan 1970 00:00:00 GMT",
    ])
    func `rejects invalid dates and other formats`(text: String) {
        #expect(HTTPDate.time(text) == nil)
    }

    @Test func `accepts only the years 1 to 9999`() {
        #expect(Timestamp(seconds: -62_135_596_801) == nil)
        #expect(Timestamp(seconds: 253_402_300_800) == nil)
        #expect(Timestamp(seconds: -62_135_596_800)?.text == "0001-01-01T00:00:00Z")
        #expect(Timestamp.last.text == "9999-12-31T23:59:59Z")
    }

    @Test func `ignores only the case of ASCII letters`() {
        #expect("KEY".utf8.isEqual(ignoringCase: "key"))
        #expect(!"\u{212A}EY".utf8.isEqual(ignoringCase: "key"))
        #expect("KEYS".utf8.starts(ignoringCase: "key"))
        #expect(!"KE".utf8.starts(ignoringCase: "key"))
    }

    @Test(arguments: [
        ("", ""), (" \t\r\n", ""), ("a", "a"), (" a b\n", "a b"), ("\u{b}\u{c}a", "a"), ("\u{a0}a", "\u{a0}a"),
    ])
    func `trims ASCII whitespace`(text: String, trimmed: String) {
        #expect(Array(text.utf8.trimmed) == Array(trimmed.utf8))
    }

    @Test(
        arguments: [([0x61, 0xc3, 0xa9], "aé"), ([], ""), ([0xc3], nil), ([0xed, 0xa0, 0x80], nil)]
            as [([UInt8], String?)])
    func `accepts only valid UTF-8`(bytes: [UInt8], text: String?) {
        #expect(String(strictUTF8: bytes) == text)
    }
}
