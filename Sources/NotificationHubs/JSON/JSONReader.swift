import HubText

extension JSONValue {
    /// A JSON parse error.
    package struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The offset of the invalid byte, or of the start of the invalid string or object.
        package let offset: Int
        /// The problem at the offset.
        package let reason: String

        /// The reason and the offset, in one line.
        package var description: String { "\(reason) at byte \(offset)" }
    }

    /// Parses JSON text (RFC 8259).
    ///
    /// The text must be UTF-8 without a byte order mark. Duplicate names in an object and more than 64 levels of nesting are
    /// errors.
    ///
    /// - Parameter depth: The number of levels of the value that will contain this one.
    /// - Throws: ``ParseError``.
    package init(parsing bytes: some Sequence<UInt8>, atDepth depth: Int = 0) throws(ParseError) {
        var reader = JSONReader(bytes)
        self = try reader.readDocument(atDepth: depth)
    }
}

/// A parser of one JSON text.
struct JSONReader {
    typealias ParseError = JSONValue.ParseError

    static let maximumDepth = 64

    let bytes: [UInt8]
    var offset = 0

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// The byte at the offset, or `nil` at the end.
    var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    func error(_ reason: String) -> ParseError {
        ParseError(offset: offset, reason: reason)
    }

    mutating func readDocument(atDepth depth: Int) throws(ParseError) -> JSONValue {
        let value = try readValue(depth: depth)
        skipSpace()
        guard byte == nil else { throw error("unexpected text after the value") }
        return value
    }

    /// Returns the text of a member's value in an object; `nil` if the text is invalid or has no such member.
    static func text(ofMember name: String, in bytes: [UInt8]) -> [UInt8]? {
        var reader = JSONReader(bytes)
        var found: Range<Int>?
        reader.skipSpace()
        guard reader.byte == UInt8(ascii: "{") else { return nil }
        let isValid: Void? = try? reader.readItems(end: UInt8(ascii: "}"), depth: 1) { reader throws(ParseError) in
            let isFound = try reader.readString() == name
            reader.skipSpace()
            _ = reader.skip(UInt8(ascii: ":"))
            reader.skipSpace()
            let start = reader.offset
            _ = try reader.readValue(depth: 1)
            if isFound { found = start..<reader.offset }
        }
        return isValid == nil ? nil : found.map { Array(reader.bytes[$0]) }
    }

    private mutating func readValue(depth: Int) throws(ParseError) -> JSONValue {
        skipSpace()
        guard let byte else { throw error("missing value") }
        switch byte {
        case UInt8(ascii: "{"): return .object(try readObject(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try readArray(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try readNumber())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        default: throw error("expected a value")
        }
    }

    private mutating func readObject(depth: Int) throws(ParseError) -> JSONObject {
        let start = offset
        var members: [JSONObject.Member] = []
        try readItems(end: UInt8(ascii: "}"), depth: depth) { reader throws(ParseError) in
            guard reader.byte == UInt8(ascii: "\"") else { throw reader.error("expected a member name in quotes") }
            let name = try reader.readString()
            reader.skipSpace()
            guard reader.skip(UInt8(ascii: ":")) else { throw reader.error("expected ':' after a member name") }
            let value = try reader.readValue(depth: depth)
            // An empty object needs no storage.
            if members.isEmpty { members.reserveCapacity(4) }
            members.append(.init(name: name, value: value))
        }
        do {
            return try JSONObject(members)
        } catch {
            throw ParseError(offset: start, reason: "duplicate name \(error.name.quotedForDisplay) in the object")
        }
    }

    private mutating func readArray(depth: Int) throws(ParseError) -> [JSONValue] {
        var values: [JSONValue] = []
        try readItems(end: UInt8(ascii: "]"), depth: depth) { reader throws(ParseError) in
            values.append(try reader.readValue(depth: depth))
        }
        return values
    }

    /// Parses comma-separated items up to the closing bracket.
    @inline(__always)
    private mutating func readItems(
        end: UInt8, depth: Int, item: (inout JSONReader) throws(ParseError) -> Void
    ) throws(ParseError) {
        guard depth <= Self.maximumDepth else { throw error("more than \(Self.maximumDepth) levels of nesting") }
        offset += 1
        skipSpace()
        if skip(end) { return }
        while true {
            skipSpace()
            try item(&self)
            skipSpace()
            if skip(end) { return }
            guard skip(UInt8(ascii: ",")) else { throw error("expected ',' or '\(Character(Unicode.Scalar(end)))'") }
        }
    }

    private mutating func readWord(_ word: String, _ value: JSONValue) throws(ParseError) -> JSONValue {
        guard bytes[offset...].starts(with: word.utf8) else { throw error("expected a value") }
        offset += word.utf8.count
        return value
    }

    private mutating func readNumber() throws(ParseError) -> JSONNumber {
        let start = offset
        _ = skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")) { try skipDigits() }
        if skip(UInt8(ascii: ".")) { try skipDigits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            try skipDigits()
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        // A JSON encoder cannot write a number that exceeds the range of Double. Fewer than 309 digits do not.
        let isLarge = offset - start > 308 || text.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
        if isLarge, Double(text)?.isFinite != true {
            throw ParseError(offset: start, reason: "the number exceeds the range of a 64-bit floating-point number")
        }
        return JSONNumber(unchecked: text)
    }

    private mutating func skipDigits() throws(ParseError) {
        let start = offset
        while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        guard offset > start else { throw error("expected a digit") }
    }

    /// Skips the next byte if it is the expected one, and returns whether it is.
    mutating func skip(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { offset += 1 }
    }
}

extension JSONReader {
    /// Parses a string, from its opening quote to its closing quote.
    mutating func readString() throws(ParseError) -> String {
        let start = offset
        offset += 1
        skipLiteral()
        guard byte == UInt8(ascii: "\"") else { return try readEscapedString(from: start) }
        offset += 1
        return try string(bytes[start + 1..<offset - 1], from: start)
    }

    /// Parses the rest of a string with escape sequences.
    private mutating func readEscapedString(from start: Int) throws(ParseError) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(256)
        text += bytes[start + 1..<offset]
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return try string(text[...], from: start)
            case UInt8(ascii: "\\"):
                offset += 1
                let scalar = try readEscape()
                if scalar.isASCII { text.append(UInt8(scalar.value)) } else { text += scalar.utf8 }
            case 0..<0x20: throw error("unescaped control character in a string")
            default:
                let first = offset
                skipLiteral()
                text += bytes[first..<offset]
            }
        }
        throw ParseError(offset: start, reason: "unterminated string")
    }

    /// Skips the part of a string up to a quote, a backslash or a control character.
    private mutating func skipLiteral() {
        var end = offset
        while end < bytes.count, bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\""), bytes[end] != UInt8(ascii: "\\")
        {
            end += 1
        }
        offset = end
    }

    private func string(_ text: ArraySlice<UInt8>, from start: Int) throws(ParseError) -> String {
        guard let string = String(strictUTF8: text) else {
            throw ParseError(offset: start, reason: "the string is not valid UTF-8")
        }
        return string
    }

    /// Parses an escape sequence after its backslash.
    private mutating func readEscape() throws(ParseError) -> Unicode.Scalar {
        guard let byte else { throw error("unterminated escape sequence") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try readUnicodeEscape()
        default:
            offset -= 1
            throw error("invalid escape sequence")
        }
    }

    /// Parses the digits of `\uXXXX`, and a second escape sequence if the first one is a high surrogate.
    private mutating func readUnicodeEscape() throws(ParseError) -> Unicode.Scalar {
        let first = try readFourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xd800...0xdbff).contains(first), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
            throw error("unpaired surrogate")
        }
        let second = try readFourDigits()
        guard (0xdc00...0xdfff).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
        else { throw error("unpaired surrogate") }
        return scalar
    }

    private mutating func readFourDigits() throws(ParseError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte, let digit = byte.hexDigitValue else { throw error("expected a hexadecimal digit") }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
