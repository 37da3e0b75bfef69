import HubCommandLine
import HubTokenScanner

/// A search through a file of any size that counts lines and columns.
struct FileAudit {
    /// A found secret and its position.
    struct Location {
        let match: SecretMatch
        /// The line number, counted from 1.
        let line: Int
        /// The column in bytes, counted from 1.
        let column: Int
    }

    /// The number of bytes to read at once.
    private static let chunkSize = 1 << 20

    private var scanner = SecretScanner()
    private var bytes: [UInt8] = []
    /// The offset of `bytes` in the file.
    private var offset = 0
    /// The number of searched bytes at the start of `bytes`.
    private var searched = 0
    /// The number of bytes at the start of `bytes` whose lines are counted.
    private var counted = 0
    private var line = 1
    /// The offset of the current line in the file.
    private var lineStart = 0

    /// Calls `body` with each secret in a file, in order.
    static func run(
        _ file: borrowing InputFile, _ body: (Location) throws(Console.WriteError) -> Void
    ) throws {
        var audit = FileAudit()
        while try file.read(upTo: chunkSize, into: &audit.bytes) > 0 {
            try audit.search(upTo: audit.bytes.count - SecretScanner.contextAfter, body)
        }
        try audit.search(upTo: audit.bytes.count, body)
    }

    private mutating func search(upTo end: Int, _ body: (Location) throws(Console.WriteError) -> Void) throws {
        guard end > searched else { return }
        for match in scanner.scan(bytes, searched..<end, offset: offset) {
            countLines(upTo: match.offset - offset)
            try body(Location(match: match, line: line, column: match.offset - lineStart + 1))
        }
        searched = end
        removeFirst(max(0, end - SecretScanner.contextBefore))
    }

    private mutating func countLines(upTo end: Int) {
        guard end > counted else { return }
        for index in counted..<end where bytes[index] == UInt8(ascii: "\n") {
            line += 1
            lineStart = offset + index + 1
        }
        counted = end
    }

    /// Removes bytes in which no other secret can start.
    private mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        countLines(upTo: count)
        bytes.removeFirst(count)
        offset += count
        searched -= count
        counted -= count
    }
}
