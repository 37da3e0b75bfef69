import HubText

/// A run of text with its backslash, HTML and percent escapes decoded.
struct UnescapedRun {
    /// The number of times that the text as a whole is percent-encoded.
    typealias PercentLevel = Int

    /// The length of the longest run, in code units before decoding.
    private static let maximumRunCount = 16_384

    /// The decoded bytes.
    private(set) var bytes: [UInt8] = []
    /// The position in the text of each decoded byte.
    private(set) var positions: [Int] = []
    /// The end of the run.
    private(set) var end: Int
    /// Whether the run reached its maximum length or the end of the available bytes, and may continue.
    let isTruncated: Bool

    /// Decodes the run that starts at a position.
    ///
    /// A run ends at whitespace, a quote, a backtick, an angle bracket, or a byte outside printable ASCII, escaped or
    /// not. It also ends at a backslash that starts no known escape and, in percent-encoded text, at an invalid percent
    /// escape or an ampersand.
    init(_ text: CodeUnits, from start: Int, percentLevel: PercentLevel) {
        end = start
        let limit = min(text.endIndex, start + Self.maximumRunCount)
        while end < limit, let (byte, length) = Self.next(text, end, percentLevel) {
            bytes.append(byte)
            positions.append(end)
            end += length
        }
        isTruncated = end >= limit && (limit < text.endIndex || text.isTruncated)
    }

    /// Returns the decoded byte at a position and its length in the text; `nil` at the end of a run.
    static func next(_ text: CodeUnits, _ position: Int, _ level: PercentLevel) -> (UInt8, length: Int)? {
        var byte = text[position]
        var length = 1
        switch byte {
        case UInt8(ascii: "\\"):
            guard let escape = backslash(text, position) else { return nil }
            (byte, length) = escape
        case UInt8(ascii: "&"):
            if let escape = html(text, position) { (byte, length) = escape } else if level > 0 { return nil }
        case UInt8(ascii: "%") where level > 0:
            guard let escape = percent(text, position, level) else { return nil }
            (byte, length) = escape
        default:
            break
        }
        return endsRun(byte) ? nil : (byte, length)
    }

    /// Returns whether a byte ends a run.
    static func endsRun(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7f..., UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "<"),
            UInt8(ascii: ">"):
            true
        default:
            false
        }
    }

    /// Returns whether a backslash and a byte start a known escape, or a nested one.
    static func startsEscape(_ byte: UInt8) -> Bool { "u\\".utf8.contains(byte) || isEscapedCharacter(byte) }

    /// Returns whether a backslash escapes a character itself, in JSON (`\/`), properties (`\=`, `\:`) and shells (`\&`).
    private static func isEscapedCharacter(_ byte: UInt8) -> Bool { "/=:&".utf8.contains(byte) }

    /// Decodes a character after a backslash, or `u` and four hexadecimal digits. Nested escaping repeats the backslash.
    private static func backslash(_ text: CodeUnits, _ position: Int) -> (UInt8, length: Int)? {
        let backslashes = text[position...].prefix(8).prefix { $0 == UInt8(ascii: "\\") }.count
        let rest = text[(position + backslashes)...].prefix(5)
        if let first = rest.first, isEscapedCharacter(first) { return (first, backslashes + 1) }
        guard rest.count == 5, rest.first == UInt8(ascii: "u"), let byte = number(rest.dropFirst(), radix: 16) else {
            return nil
        }
        return (byte, backslashes + 5)
    }

    /// Decodes an HTML character reference.
    private static func html(_ text: CodeUnits, _ position: Int) -> (UInt8, length: Int)? {
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
            return (byte, length + (known == "amp" ? repeatedAmpersands(text, position + length) : 0))
        }
        return nil
    }

    /// Returns the length of the additional `amp;` in an ampersand that was escaped several times.
    private static func repeatedAmpersands(_ text: CodeUnits, _ position: Int) -> Int {
        var end = position
        while text[end...].prefix(4).isEqual(ignoringCase: "amp;") { end += 4 }
        return end - position
    }

    /// Decodes a percent escape: `%` and two digits, or `%25` and two digits at level 2.
    private static func percent(_ text: CodeUnits, _ position: Int, _ level: PercentLevel) -> (UInt8, length: Int)? {
        let infix = level > 1 ? "25" : ""
        let rest = text[(position + 1)...].prefix(infix.utf8.count + 2)
        guard rest.count == infix.utf8.count + 2, rest.starts(with: infix.utf8),
            let byte = number(rest.dropFirst(infix.utf8.count), radix: 16)
        else { return nil }
        return (byte, rest.count + 1)
    }

    private static func number(_ digits: CodeUnits, radix: UInt8) -> UInt8? {
        var number = 0
        for digit in digits {
            guard let value = digit.hexDigitValue, value < radix else { return nil }
            number = number * Int(radix) + Int(value)
        }
        return digits.isEmpty ? nil : UInt8(exactly: number)
    }
}
