import HubText

/// A run of text with its JSON, HTML and percent escapes decoded.
struct Unescaped {
    /// How often the text as a whole is percent-encoded.
    typealias PercentLevel = Int

    /// The longest run, in letters with their escapes.
    private static let longestRun = 16_384

    /// The decoded bytes.
    private(set) var bytes: [UInt8] = []
    /// The position of each byte in the text.
    private(set) var positions: [Int] = []
    /// The end of the run.
    private(set) var end: Int
    /// Whether the run continues after its longest length, or after the bytes at hand.
    let isCut: Bool

    /// Reads up to whitespace, a quote, an angle bracket, or any byte outside printable ASCII, escaped or not.
    init(_ text: Letters, from start: Int, percentLevel: PercentLevel) {
        end = start
        let limit = min(text.endIndex, start + Self.longestRun)
        while end < limit, let (byte, length) = Self.next(text, end, percentLevel) {
            bytes.append(byte)
            positions.append(end)
            end += length
        }
        isCut = end >= limit && (limit < text.endIndex || text.isCut)
    }

    /// The decoded byte at a position, and its length in the text; `nil` where a run ends.
    static func next(_ text: Letters, _ position: Int, _ level: PercentLevel) -> (UInt8, length: Int)? {
        var byte = text[position]
        var length = 1
        switch byte {
        case UInt8(ascii: "\\"):
            guard let escape = json(text, position) else { return nil }
            (byte, length) = escape
        case UInt8(ascii: "&"):
            if let escape = html(text, position) { (byte, length) = escape } else if level > 0 { return nil }
        case UInt8(ascii: "%") where level > 0:
            guard let escape = percent(text, position, level) else { return nil }
            (byte, length) = escape
        default:
            break
        }
        return isEnd(byte) ? nil : (byte, length)
    }

    /// Whether a byte ends a run.
    static func isEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7f..., UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "<"),
            UInt8(ascii: ">"):
            true
        default:
            false
        }
    }

    /// A JSON escape: a solidus, or four hexadecimal digits; with more backslashes if escaped more than once.
    private static func json(_ text: Letters, _ position: Int) -> (UInt8, length: Int)? {
        let backslashes = text[position...].prefix(8).prefix { $0 == UInt8(ascii: "\\") }.count
        let rest = text[(position + backslashes)...].prefix(5)
        if rest.first == UInt8(ascii: "/") { return (UInt8(ascii: "/"), backslashes + 1) }
        guard rest.count == 5, rest.first == UInt8(ascii: "u"), let byte = number(rest.dropFirst(), radix: 16) else {
            return nil
        }
        return (byte, backslashes + 5)
    }

    /// An HTML character reference.
    private static func html(_ text: Letters, _ position: Int) -> (UInt8, length: Int)? {
        let rest = text[(position + 1)...].prefix(7)
        guard let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = rest[..<semicolon]
        let length = name.count + 2
        if name.first == UInt8(ascii: "#") {
            let isHexadecimal = name.dropFirst().first.map { $0 | 0x20 } == UInt8(ascii: "x")
            let byte = isHexadecimal ? number(name.dropFirst(2), radix: 16) : number(name.dropFirst(), radix: 10)
            return byte.map { ($0, length) }
        }
        for (known, byte) in [("amp", UInt8(ascii: "&")), ("quot", 0x22), ("apos", 0x27), ("lt", 0x3c), ("gt", 0x3e)]
        where name.isEqual(ignoringCase: known) {
            return (byte, length)
        }
        return nil
    }

    /// A percent sign and two digits, with `25` between them at the second level.
    private static func percent(_ text: Letters, _ position: Int, _ level: PercentLevel) -> (UInt8, length: Int)? {
        let again = level > 1 ? "25" : ""
        let rest = text[(position + 1)...].prefix(again.utf8.count + 2)
        guard rest.count == again.utf8.count + 2, rest.starts(with: again.utf8),
            let byte = number(rest.dropFirst(again.utf8.count), radix: 16)
        else { return nil }
        return (byte, rest.count + 1)
    }

    private static func number(_ digits: Letters, radix: UInt8) -> UInt8? {
        var number = 0
        for digit in digits {
            guard let value = digit.hexDigitValue, value < radix else { return nil }
            number = number * Int(radix) + Int(value)
        }
        return digits.isEmpty ? nil : UInt8(exactly: number)
    }
}
