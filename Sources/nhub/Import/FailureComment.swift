import HubText

/// A comment in the failure file of a CSV file, such as `# record 5, line 7: column 3: not valid UTF-8`.
///
/// RFC 4180 has no comments. The prefix is that of the [W3C's model of tabular data](https://www.w3.org/TR/tabular-data-model/). A
/// comment contains no quotation mark, so that it ends at the end of its line.
struct FailureComment {
    /// The number of the record in the input. The header is the first record.
    let number: Int
    /// The line and the error.
    let reason: String

    /// The maximum length of a comment, in bytes.
    static let maximumLength = 4096

    private static let prefix = Array("# record ".utf8)

    /// The comment with its line ending.
    var bytes: [UInt8] {
        let reason = reason.utf8.map { byte in
            byte < 0x20 || byte == 0x7f ? UInt8(ascii: " ") : byte == UInt8(ascii: "\"") ? UInt8(ascii: "'") : byte
        }
        let line = Self.prefix + Array("\(number), ".utf8) + reason
        // A character that the end would divide is omitted.
        let end =
            line.count <= Self.maximumLength ? line.count : line[..<Self.maximumLength].lastIndex { $0 < 0x80 } ?? 0
        return line[..<end] + [0x0d, 0x0a]
    }

    /// Returns the number of the record in a comment; `nil` for another line.
    static func number(in line: [UInt8]) -> Int? {
        guard line.starts(with: prefix) else { return nil }
        let digits = line.dropFirst(prefix.count).prefix(while: \.isASCIIDigit)
        let rest = line.dropFirst(prefix.count + digits.count)
        guard rest.starts(with: ", line ".utf8) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    /// Returns whether bytes are the start of a comment that an interrupted write left.
    static func isStart(_ line: [UInt8]) -> Bool {
        prefix.starts(with: line) || line.starts(with: prefix)
    }

    /// Returns the header of a failure file with its line ending.
    static func header(_ bytes: [UInt8], withByteOrderMark hasMark: Bool) -> [UInt8] {
        (hasMark ? [0xef, 0xbb, 0xbf] : []) + bytes + [0x0d, 0x0a]
    }
}
