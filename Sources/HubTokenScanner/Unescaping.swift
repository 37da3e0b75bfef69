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
        guard rest.count == 5, rest.first == UInt8(ascii: "u"), let byte = rest.dropFirst().number(radix: 16) else {
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
            let byte = isHexadecimal ? name.dropFirst(2).number(radix: 16) : name.dropFirst().number(radix: 10)
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
            let byte = rest.dropFirst(infix.utf8.count).number(radix: 16)
        else { return nil }
        return (byte, rest.count + 1)
    }
}

extension CodeUnits {
    /// Returns the value of the digits, at most 255; `nil` without digits.
    fileprivate func number(radix: UInt8) -> UInt8? {
        var number = 0
        for digit in self {
            guard let value = digit.hexDigitValue, value < radix else { return nil }
            number = number * Int(radix) + Int(value)
        }
        return isEmpty ? nil : UInt8(exactly: number)
    }
}

/// Text with one layer of escapes removed: those of URLs, JSON, YAML, properties files, programming languages, shells and HTML.
struct UnescapedText {
    private(set) var bytes: [UInt8] = []
    /// The position in the text of each byte, and the end.
    private var positions: [Int] = []
    /// The end of the text.
    let end: Int

    /// The largest number of code units to inspect before and after a run.
    private static let maximumDistance = 8192

    /// Removes a layer from the text around a run, up to white space, quotes and angle brackets. It is empty without an escape.
    init(_ text: CodeUnits, around run: Range<Int>, hasEscapes: Bool, count: (Int) -> Void) {
        let first = max(text.startIndex, run.lowerBound - Self.maximumDistance)
        let last = min(text.endIndex, run.upperBound + Self.maximumDistance)
        var start = run.lowerBound
        var end = run.upperBound
        var hasEscapes = hasEscapes
        while start > first, !UnescapedRun.endsRun(text[start - 1]) {
            start -= 1
            hasEscapes = hasEscapes || Self.startsEscape(text[start])
        }
        while end < last, !UnescapedRun.endsRun(text[end]) {
            hasEscapes = hasEscapes || Self.startsEscape(text[end])
            end += 1
        }
        self.end = end
        count(end - start - run.count)
        guard hasEscapes else { return }
        count(end - start)
        var position = start
        while position < end {
            let escape = Self.escape(text[position..<min(end, position + 10)])
            bytes.append(escape?.byte ?? text[position])
            positions.append(position)
            position += escape?.length ?? 1
        }
        if bytes.count == end - start { bytes = [] }
        positions.append(end)
    }

    /// Returns the positions in the text of a range of bytes.
    func range(_ range: Range<Int>) -> Range<Int> { positions[range.lowerBound]..<positions[range.upperBound] }

    private static func startsEscape(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "&")
    }

    /// Decodes the escape at the start of some text.
    private static func escape(_ text: CodeUnits) -> (byte: UInt8, length: Int)? {
        switch text.first {
        case UInt8(ascii: "%"): number(text.dropFirst().prefix(2), 16, count: 2).map { ($0, 3) }
        case UInt8(ascii: "\\"): backslash(text.dropFirst())
        case UInt8(ascii: "&"): reference(text.dropFirst())
        default: nil
        }
    }

    private static func backslash(_ rest: CodeUnits) -> (UInt8, Int)? {
        guard let first = rest.first else { return nil }
        switch first {
        case UInt8(ascii: "u"): return number(rest.dropFirst().prefix(4), 16, count: 4).map { ($0, 6) }
        case UInt8(ascii: "U"): return number(rest.dropFirst().prefix(8), 16, count: 8).map { ($0, 10) }
        case UInt8(ascii: "x"): return number(rest.dropFirst().prefix(2), 16, count: 2).map { ($0, 4) }
        case UInt8(ascii: "0")...UInt8(ascii: "3"): return number(rest.prefix(3), 8, count: 3).map { ($0, 4) }
        case UInt8(ascii: "n"), UInt8(ascii: "r"): return (UInt8(ascii: "\n"), 2)
        case UInt8(ascii: "t"): return (UInt8(ascii: "\t"), 2)
        default: return first.isASCIILetterOrDigit || first < 0x21 || first > 0x7e ? nil : (first, 2)
        }
    }

    private static func reference(_ rest: CodeUnits) -> (UInt8, Int)? {
        guard let semicolon = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = rest[..<semicolon]
        let length = name.count + 2
        guard name.first == UInt8(ascii: "#") else {
            return [("amp", "&"), ("quot", "\""), ("apos", "'"), ("lt", "<"), ("gt", ">")]
                .first { name.isEqual(ignoringCase: $0.0) }.map { ($0.1.utf8.first ?? 0, length) }
        }
        let digits = name.dropFirst()
        guard let first = digits.first, first | 0x20 == UInt8(ascii: "x") else {
            return digits.number(radix: 10).map { ($0, length) }
        }
        return digits.dropFirst().number(radix: 16).map { ($0, length) }
    }

    /// Returns the value of a number of digits, at most 255.
    private static func number(_ digits: CodeUnits, _ radix: UInt8, count: Int) -> UInt8? {
        digits.count == count ? digits.number(radix: radix) : nil
    }
}
