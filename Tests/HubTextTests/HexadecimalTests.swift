import HubText
import Testing

@Suite struct HexadecimalTests {
    @Test(
        arguments: [
            ([], "", ""), ([0x00], "00", "00"), ([0x09, 0x0a, 0x9f, 0xff], "090a9fff", "090A9FFF"),
        ] as [([UInt8], String, String)])
    func `writes two digits per byte and reads them back`(bytes: [UInt8], lower: String, upper: String) {
        #expect(bytes.hexDigits().lossyText == lower)
        #expect(bytes.hexDigits(.upper).lossyText == upper)
        #expect(lower.utf8.hexDecoded == bytes)
        #expect(upper.utf8.hexDecoded == bytes)
    }

    @Test(arguments: ["0", "0g", "000", "0 ", "\u{e9}0"])
    func `rejects an odd count and invalid characters`(text: String) {
        #expect(text.utf8.hexDecoded == nil)
    }

    @Test(
        arguments: [("SharedACCESS", "access", 6), ("abc", "abcd", nil), ("aab", "AB", 1)] as [(String, String, Int?)])
    func `finds a string regardless of case`(text: String, part: String, index: Int?) {
        #expect(Array(text.utf8).firstIndex(ignoringCase: part) == index)
    }
}
