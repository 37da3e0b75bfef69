import HubTestSupport
import HubText
@testable import SharedAccessSignature
import Testing

/// The fast functions of the parser against the plain ones.
@Suite struct TokenCharactersTests {
    /// Bytes at the limits of the classes that the parser distinguishes.
    private static let bytes = Array("%%%%09afAFgG/:@`&=!~ \u{7f}\u{1f}".utf8) + [0, 0x80, 0xff]

    @Test func `finds an invalid character in one pass exactly if the plain check finds one`() {
        var generator = SystemRandomNumberGenerator()
        var counts = [false: 0, true: 0]
        for _ in 0..<20_000 {
            var text = ContiguousArray("a=".utf8)
            // Mostly valid, because one invalid character hides all others.
            for _ in 0..<Int.random(in: 1...70, using: &generator) {
                let escape = ["%4a", "%F9", "x", "%", "%a"].randomElement(using: &generator) ?? ""
                text += Bool.random(using: &generator) ? Array("abcdefgh".utf8) : Array(escape.utf8)
            }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                text[Int.random(in: 2..<text.count, using: &generator)] =
                    Self.bytes.randomElement(using: &generator) ?? 0
            }
            let isValid = text.span.firstInvalidIndex(in: 2..<text.count) == nil
            counts[isValid, default: 0] += 1
            #expect(text.span.isVisibleAndEscaped(from: 2) == isValid, "\(text)")
        }
        #expect(counts.values.allSatisfy { $0 > 100 })
    }

    @Test func `classifies each byte, alone and in an escape`() {
        for byte in UInt8.min...UInt8.max {
            for text in [[byte], [0x25, byte], [0x25, 0x30, byte], [0x25, byte, 0x30]] {
                let text = ContiguousArray("a=".utf8) + text + Array(repeating: UInt8(ascii: "x"), count: 40)
                let isValid = text.span.firstInvalidIndex(in: 2..<text.count) == nil
                #expect(text.span.isVisibleAndEscaped(from: 2) == isValid, "\(text.prefix(6))")
            }
        }
    }

    @Test(.blocking) func `traps if the start does not follow two bytes, or exceeds the text`() async {
        await #expect(processExitsWith: .failure) {
            _ = ContiguousArray("a=b".utf8).span.isVisibleAndEscaped(from: 1)
        }
        await #expect(processExitsWith: .failure) {
            _ = ContiguousArray("a=b".utf8).span.isVisibleAndEscaped(from: 4)
        }
    }

    @Test func `reads the signatures that the plain decoders read`() {
        var generator = SystemRandomNumberGenerator()
        var counts = [false: 0, true: 0]
        for _ in 0..<20_000 {
            let code = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let encoding = [PercentEncoding.rfc3986, .lowerCase, .pathSegment].randomElement(using: &generator)
            var text = ContiguousArray((encoding ?? .rfc3986).encode(Self.base64(code)))
            for _ in 0..<Int.random(in: 0...2, using: &generator) {
                let index = Int.random(in: text.indices, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: text[index] = Self.bytes.randomElement(using: &generator) ?? 0
                case 1: text.remove(at: index)
                case 2: text.insert(UInt8(ascii: "A"), at: index)
                default: text.replaceSubrange(index...index, with: Array("%41".utf8))
                }
            }
            let read = SignatureText.read(text.span, 0..<text.count).map { Array($0) }
            counts[read != nil, default: 0] += 1
            #expect(read == Self.plain(text), "\(String(decoding: text, as: UTF8.self))")
        }
        #expect(counts.values.allSatisfy { $0 > 100 })
    }

    /// Decodes a signature in two steps.
    private static func plain(_ text: ContiguousArray<UInt8>) -> [UInt8]? {
        let decoded = PercentDecoded(text, readsPlusAsSpace: false)
        var code: [UInt8] = []
        guard !decoded.hasInvalidEscape, decoded.bytes.count == 44,
            Base64.decodeCanonical(ContiguousArray(decoded.bytes).span, into: &code), code.count == 32
        else { return nil }
        return code
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        var (bits, count) = (0, 0)
        for byte in bytes + [0] {
            (bits, count) = (bits << 8 | Int(byte), count + 8)
            while count >= 6, text.count < 43 {
                count -= 6
                text.append(alphabet[bits >> count & 63])
            }
            bits &= 0xff
        }
        return text + [UInt8(ascii: "=")]
    }
}
