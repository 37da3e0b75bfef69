import Foundation
import HubTestSupport
import HubTokenScanner
import Testing

/// Tests of secrets in several layers of encoding.
@Suite(.timeLimit(.minutes(30))) struct DecodingTests {
    /// An encoding of text.
    enum Layer: String, CaseIterable {
        case percent, json, hexadecimal, octal, html, base64, base64URL, wrapped

        func encode(_ text: String) -> String {
            switch self {
            case .percent: escaped(text) { "%" + hex($0, 2) }
            case .json: escaped(text) { "\\u" + hex($0, 4) }
            case .hexadecimal: escaped(text) { "\\x" + hex($0, 2) }
            case .octal: escaped(text) { "\\\($0 / 64)\($0 / 8 % 8)\($0 % 8)" }
            case .html: escaped(text) { "&#\($0);" }
            case .base64: Data(text.utf8).base64EncodedString()
            case .base64URL:
                Data(text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
                    .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
            case .wrapped: Data(text.utf8).base64EncodedString(options: .lineLength76Characters)
            }
        }

        private func escaped(_ text: String, _ escape: (UInt8) -> String) -> String { text.utf8.map(escape).joined() }

        private func hex(_ byte: UInt8, _ count: Int) -> String {
            let digits = String(byte, radix: 16)
            return String(repeating: "0", count: count - digits.count) + digits
        }
    }

    private static let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    private static let fingerprint = SecretMatch.fingerprint(ofKey: Array(key.utf8))
    private static let string =
        "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=full;SharedAccessKey=\(key)"

    /// Returns the secrets in text after other text, and the position of the text.
    private static func scan(_ text: String) -> (matches: [SecretMatch], position: Int) {
        (SecretScanner.matches(in: Array("value: '\(text)'\n".utf8)), 8)
    }

    /// Returns whether the connection string is found in an encoded form, at the position of its encoding.
    private static func finds(_ layers: [Layer]) -> Bool {
        let text = layers.reduce(string) { $1.encode($0) }
        let (matches, position) = scan(text)
        let range = position..<(position + text.utf8.count)
        return matches.contains { $0.fingerprint == fingerprint && range.contains($0.range.lowerBound) }
    }

    @Test(arguments: Layer.allCases, Layer.allCases)
    func `finds a connection string through three layers of encoding`(first: Layer, second: Layer) {
        #expect(Self.finds([first]) && Self.finds([first, second]))
        for third in [Layer.percent, .base64, .wrapped] { #expect(Self.finds([first, second, third]), "\(third)") }
    }

    @Test(arguments: [Layer.json, .octal]) func `finds a secret through the longest escapes`(layer: Layer) {
        #expect(Self.finds([.json, .json, layer]))
    }

    @Test(arguments: Layer.allCases.prefix(5))
    func `finds a secret with escaped keywords`(layer: Layer) {
        let text = Self.string.replacingOccurrences(of: "E", with: layer.encode("E"))
            .replacingOccurrences(of: "S", with: layer.encode("S"))
        #expect(Self.scan(text).matches.map(\.kind) == [.connectionString])
        #expect(Self.scan(Layer.base64.encode(text)).matches.map(\.kind) == [.connectionString])
    }

    @Test func `does not decode four layers of Base64`() {
        let text = (0..<4).reduce(Self.string) { text, _ in Layer.base64.encode(text) }
        #expect(Self.scan(text).matches.isEmpty)
    }

    // Long Base64 is searched in pieces. 12,288 bytes are 16,384 characters, the length of a piece.
    @Test(arguments: [Layer.base64, .wrapped], ["x", "é"])
    func `finds a secret across the pieces of long text`(layer: Layer, character: String) {
        for count in representatives(Array(stride(from: 11_900, through: 12_320, by: 7)), count: 13) {
            let before = String(repeating: character, count: count / character.utf8.count)
            // The text before the first piece's end decides whether the text is decoded.
            let text = String(repeating: "x", count: 48) + before + "\n" + Self.string + "\n"
            let (matches, position) = Self.scan(layer.encode(text + String(repeating: before, count: 3)))
            #expect(matches.map(\.fingerprint) == [Self.fingerprint], "\(count)")
            #expect(matches.allSatisfy { $0.range.lowerBound > position + 15_000 }, "\(count)")
        }
    }

    private static let filler = String(repeating: "some text and ", count: 3000)

    /// Returns Base64 of text in lines with some lengths, the last of which is repeated.
    private static func lines(_ text: String, _ lengths: [Int], indent: Int = 0) -> String {
        var rest = Layer.base64URL.encode(text)[...]
        var (lines, index) = ([String](), 0)
        while !rest.isEmpty {
            let length = lengths[min(index, lengths.count - 1)]
            lines.append(String(repeating: " ", count: indent) + rest.prefix(length))
            (rest, index) = (rest.dropFirst(length), index + 1)
        }
        return lines.joined(separator: "\n")
    }

    @Test(arguments: [
        ([76], 0), ([70, 76], 0), ([93, 76], 0), ([75], 0), ([64], 66), ([64], 0), ([12_000, 76], 0), ([200], 3),
    ])
    func `finds a secret at any position of long text in lines`(lengths: [Int], indent: Int) {
        for count in representatives(Array(stride(from: 5000, through: 25_000, by: 611)), count: 12) {
            let text = "\(Self.filler.prefix(count))\n\(Self.string)\n\(Self.filler.prefix(9000))"
            let matches = SecretScanner.matches(in: Array(Self.lines(text, lengths, indent: indent).utf8))
            #expect(matches.map(\.fingerprint) == [Self.fingerprint], "\(count)")
        }
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf32LittleEndian])
    func `finds a secret across the pieces of long wide text`(encoding: String.Encoding) throws {
        for count in stride(from: 11_900, through: 12_320, by: 21) {
            let text = "\(Self.filler.prefix(count))\n\(Self.string)\n\(Self.filler.prefix(9000))"
            let wide = try #require(Layer.base64.encode(text).data(using: encoding))
            #expect(SecretScanner.matches(in: Array(wide)).map(\.fingerprint) == [Self.fingerprint], "\(count)")
        }
    }

    @Test(arguments: [0, 11_800]) func `finds a secret at the end of Base64 before much white space`(count: Int) {
        let base64 = Layer.base64URL.encode(Self.filler.prefix(count) + Self.string)
        let text = base64 + "\n" + String(repeating: " ", count: 17_000) + "."
        #expect(SecretScanner.matches(in: Array(text.utf8)).map(\.fingerprint) == [Self.fingerprint])
    }

    @Test func `finds a secret on the line after Base64 of another secret`() {
        let text = Layer.base64URL.encode(Self.string) + "\n"
        let key = "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g="
        let matches = SecretScanner.matches(in: Array("# Service Bus keys\n\(text)\(key)\n".utf8))
        #expect(matches.map(\.fingerprint) == [Self.fingerprint, SecretMatch.fingerprint(ofKey: Array(key.utf8))])
    }

    @Test func `finds a secret on the line after Base64 of other text`() {
        let text = "# Service Bus keys\n\(Layer.base64URL.encode("My policy name is RootManageSharedAccessKey o"))\n"
        let key = "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g="
        #expect(SecretScanner.matches(in: Array("\(text)\(key)\n".utf8)).map(\.range.lowerBound) == [text.utf8.count])
    }

    /// A gzip file that stores its content, in Base64, and a decompressor for it.
    @Test func `finds a secret in compressed text in Base64`() {
        let content = Array("{\"connection\":\"\(Self.string)\"}".utf8)
        let file = [0x1f, 0x8b, 8] + content
        let text = Layer.base64.encode(Data(file).base64EncodedString())
        var scanner = SecretScanner { Array($0.dropFirst(3).prefix($1)) }
        let bytes = Array(text.utf8)
        let matches = scanner.scan(bytes, bytes.indices, offset: 0)
        #expect(matches.contains { $0.fingerprint == Self.fingerprint })
        #expect(
            SecretScanner.matches(
                in: Array(Data([0x1f, 0x8b, 8] + [UInt8](repeating: 9, count: 90)).base64EncodedString().utf8)
            ).isEmpty)
    }

    private static let hostile: [(name: String, unit: String)] = [
        ("escaped percent signs", "%25"), ("escaped backslashes", "\\\\"), ("escapes", "\\u0041"),
        ("short runs with escapes", "\\u0041" + String(repeating: "A", count: 43) + "="),
        ("references", "&#x41;"), ("Base64 of zeros", "AAAA"), ("Base64 of itself", "QUFB"),
        ("Base64 of Base64", "UVVGQlFVRkJR"), ("gzip in Base64", "H4sIAAAAAAAAA"),
        ("short gzip", "H4sI" + String(repeating: "A", count: 60) + " "), ("keys", key + "%25"),
        ("names of signatures", "sig%3D" + String(repeating: "A", count: 40) + "%25"),
    ]

    @Test(arguments: representatives(hostile.map(\.unit), count: 3))
    func `searches in linear time`(unit: String) {
        func work(_ size: Int) -> Int {
            let bytes = Array(String(repeating: unit, count: size / unit.utf8.count).utf8)
            // Each decompression returns another compressed file of the largest allowed size.
            var scanner = SecretScanner { Array(([0x1f, 0x8b, 8] + [UInt8](repeating: 65, count: $1)).prefix($1)) }
            _ = scanner.scan(bytes, bytes.indices, offset: 0)
            return scanner.work
        }
        let works = [1 << 16, 1 << 17].map(work)
        #expect(works[1] * 10 < works[0] * 23, "\(works)")
        // All layers together cost at most a multiple of the input.
        #expect(works[1] < 400 << 17, "\(works)")
    }
}
