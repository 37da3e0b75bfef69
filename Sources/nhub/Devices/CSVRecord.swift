import HubText

/// A record of comma-separated values.
///
/// Source: [RFC 4180](https://www.rfc-editor.org/rfc/rfc4180) §2.
struct CSVRecord: Hashable, Sendable {
    var fields: [String]

    /// An error in the text of a record.
    struct SyntaxError: Error, Hashable, CustomStringConvertible {
        /// The number of the field, starting at 1.
        let column: Int
        let reason: String
        var description: String { "column \(column): \(reason)" }
    }

    init(fields: [String]) {
        self.fields = fields
    }

    /// Parses a record without its line ending.
    init(_ bytes: [UInt8]) throws(SyntaxError) {
        let (comma, quote) = (UInt8(ascii: ","), UInt8(ascii: "\""))
        fields = []
        var rest = bytes[...]
        while true {
            var field: ArraySlice<UInt8> = []
            let column = fields.count + 1
            if rest.first == quote {
                rest = rest.dropFirst()
                while true {
                    guard let end = rest.firstIndex(of: quote) else {
                        throw SyntaxError(column: column, reason: "the closing quotation mark is missing")
                    }
                    field += rest[..<end]
                    rest = rest[(end + 1)...]
                    guard rest.first == quote else { break }
                    field.append(quote)
                    rest = rest.dropFirst()
                }
                guard rest.first ?? comma == comma else {
                    throw SyntaxError(
                        column: column,
                        reason: "text after the closing quotation mark; double a quotation mark inside a quoted field")
                }
            } else {
                field = rest.prefix { $0 != comma }
                rest = rest[field.endIndex...]
                guard !field.contains(quote) else {
                    throw SyntaxError(
                        column: column,
                        reason: "a quotation mark in a field that is not quoted: quote the field, and double the mark")
                }
            }
            guard let text = String(strictUTF8: field) else {
                throw SyntaxError(column: column, reason: "not valid UTF-8")
            }
            fields.append(text)
            guard rest.first == comma else { return }
            rest = rest.dropFirst()
        }
    }

    /// The record with its line ending.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            let isQuoted = field.utf8.contains { [0x22, 0x2c, 0x0a, 0x0d].contains($0) }
            if isQuoted { bytes.append(UInt8(ascii: "\"")) }
            for byte in field.utf8 {
                if byte == UInt8(ascii: "\"") { bytes.append(byte) }
                bytes.append(byte)
            }
            if isQuoted { bytes.append(UInt8(ascii: "\"")) }
        }
        return bytes + [0x0d, 0x0a]
    }
}
