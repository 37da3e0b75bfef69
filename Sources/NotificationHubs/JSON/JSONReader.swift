import HubText

extension JSONValue {
    /// Why bytes are no JSON.
    package struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The byte at which the reader stopped, from 0 on.
        package let offset: Int
        /// What is wrong there.
        package let reason: String

        /// Offset and reason in one line.
        package var description: String { "\(reason) at byte \(offset)" }
    }

    /// Reads JSON text (RFC 8259) strictly: UTF-8 without a byte order mark, one value, each name of an object once, 64
    /// levels at most.
    ///
    /// - Throws: ``ParseError``.
    package init(parsing bytes: some Sequence<UInt8>) throws(ParseError) {
        var reader = JSONReader(bytes)
        self = try reader.readDocument()
    }
}

/// Reads one JSON text. Every step forward is made by ``byte``, which ends at the last byte.
struct JSONReader {
    typealias ParseError = JSONValue.ParseError

    static let maximumDepth = 64

    let bytes: [UInt8]
    var offset = 0

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// The byte at the offset, `nil` at the end.
    var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    func error(_ reason: String) -> ParseError {
        ParseError(offset: offset, reason: reason)
    }

    mutating func readDocument() throws(ParseError) -> JSONValue {
        let value = try readValue(depth: 0)
        skipSpace()
        guard byte == nil else { throw error("something follows the value") }
        return value
    }

    private mutating func readValue(depth: Int) throws(ParseError) -> JSONValue {
        skipSpace()
        guard let byte else { throw error("the text ends before a value") }
        switch byte {
        case UInt8(ascii: "{"): return .object(try readObject(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try readArray(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try readNumber())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        default: throw error("no value begins like this")
        }
    }

    private mutating func readObject(depth: Int) throws(ParseError) -> JSONObject {
        let start = offset
        var members: [JSONObject.Member] = []
        try readItems(end: UInt8(ascii: "}"), depth: depth) { reader throws(ParseError) in
            guard reader.byte == UInt8(ascii: "\"") else { throw reader.error("a member begins with its name") }
            let name = try reader.readString()
            reader.skipSpace()
            guard reader.skip(UInt8(ascii: ":")) else { throw reader.error("a colon follows a member's name") }
            members.append(.init(name: name, value: try reader.readValue(depth: depth)))
        }
        do {
            return try JSONObject(members)
        } catch {
            throw ParseError(offset: start, reason: "the name \(error.name.shown) is there twice in the object")
        }
    }

    private mutating func readArray(depth: Int) throws(ParseError) -> [JSONValue] {
        var values: [JSONValue] = []
        try readItems(end: UInt8(ascii: "]"), depth: depth) { reader throws(ParseError) in
            values.append(try reader.readValue(depth: depth))
        }
        return values
    }

    /// Reads what stands between brackets, commas between items.
    private mutating func readItems(
        end: UInt8, depth: Int, item: (inout JSONReader) throws(ParseError) -> Void
    ) throws(ParseError) {
        guard depth <= Self.maximumDepth else { throw error("more than \(Self.maximumDepth) levels") }
        offset += 1
        skipSpace()
        if skip(end) { return }
        while true {
            skipSpace()
            try item(&self)
            skipSpace()
            if skip(end) { return }
            guard skip(UInt8(ascii: ",")) else { throw error("neither a comma nor the end") }
        }
    }

    private mutating func readWord(_ word: String, _ value: JSONValue) throws(ParseError) -> JSONValue {
        guard bytes[offset...].starts(with: word.utf8) else { throw error("no value begins like this") }
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
        return JSONNumber(unchecked: String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    private mutating func skipDigits() throws(ParseError) {
        let start = offset
        while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        guard offset > start else { throw error("a digit is missing") }
    }

    /// Goes past a byte if it is the next one.
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
    /// Reads a text from its opening quote to its closing one.
    mutating func readString() throws(ParseError) -> String {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                guard let string = String(strictUTF8: text) else {
                    throw ParseError(offset: start, reason: "the text is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"):
                offset += 1
                text += UTF8.encode(try readEscape()).map(Array.init) ?? []
            case 0..<0x20:
                throw error("a control character in a text is escaped")
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw ParseError(offset: start, reason: "the text has no end")
    }

    /// Reads what follows a backslash.
    private mutating func readEscape() throws(ParseError) -> Unicode.Scalar {
        guard let byte else { throw error("an escape has no end") }
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
            throw error("there is no such escape")
        }
    }

    /// Reads the digits of `\uXXXX`, and a second escape where the first is half of a surrogate pair.
    private mutating func readUnicodeEscape() throws(ParseError) -> Unicode.Scalar {
        let first = try readFourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xd800...0xdbff).contains(first), skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
            throw error("half of a surrogate pair")
        }
        let second = try readFourDigits()
        guard (0xdc00...0xdfff).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
        else { throw error("half of a surrogate pair") }
        return scalar
    }

    private mutating func readFourDigits() throws(ParseError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte, let digit = byte.hexDigitValue else { throw error("a hexadecimal digit is missing") }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
