import HubText

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
            return number(digits, 10, count: digits.count).map { ($0, length) }
        }
        return number(digits.dropFirst(), 16, count: digits.count - 1).map { ($0, length) }
    }

    /// Returns the value of a number of digits, at most 255.
    private static func number(_ digits: CodeUnits, _ radix: Int, count: Int) -> UInt8? {
        guard digits.count == count, count > 0 else { return nil }
        var number = 0
        for digit in digits {
            guard let value = digit.hexDigitValue, value < radix else { return nil }
            number = number * radix + Int(value)
        }
        return UInt8(exactly: number)
    }
}
