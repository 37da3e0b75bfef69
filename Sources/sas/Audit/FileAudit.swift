import HubCommandLine
import HubTokenScanner

/// Searches a file of any size in chunks, and counts lines and columns.
struct FileAudit {
    /// A find with its position.
    struct Place {
        let find: SecretFind
        /// Both start at 1; the column counts bytes.
        let line: Int
        let column: Int
    }

    /// The largest read, in bytes.
    private static let chunkSize = 1 << 20

    private var scanner = SecretScanner()
    private var bytes: [UInt8] = []
    /// The offset of `bytes` in the file.
    private var offset = 0
    /// The ends of what is searched and of what is counted, in `bytes`.
    private var searched = 0
    private var counted = 0
    private var line = 1
    private var lineStart = 0

    /// Calls `body` with each find in a file, in order.
    static func run(
        _ file: borrowing InputFile, _ body: (Place) throws(Console.Unwritable) -> Void
    ) throws {
        var audit = FileAudit()
        while try file.read(upTo: chunkSize, into: &audit.bytes) > 0 {
            try audit.search(upTo: audit.bytes.count - SecretScanner.contextAfter, body)
        }
        try audit.search(upTo: audit.bytes.count, body)
    }

    private mutating func search(upTo end: Int, _ body: (Place) throws(Console.Unwritable) -> Void) throws {
        guard end > searched else { return }
        for find in scanner.scan(bytes, searched..<end, offset: offset) {
            count(upTo: find.offset - offset)
            try body(Place(find: find, line: line, column: find.offset - lineStart + 1))
        }
        searched = end
        drop(max(0, end - SecretScanner.contextBefore))
    }

    private mutating func count(upTo end: Int) {
        guard end > counted else { return }
        for index in counted..<end where bytes[index] == UInt8(ascii: "\n") {
            line += 1
            lineStart = offset + index + 1
        }
        counted = end
    }

    /// Drops bytes in which no further find can start.
    private mutating func drop(_ count: Int) {
        guard count > 0 else { return }
        self.count(upTo: count)
        bytes.removeFirst(count)
        offset += count
        searched -= count
        counted -= count
    }
}
