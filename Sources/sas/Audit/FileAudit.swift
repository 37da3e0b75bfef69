import HubCommandLine
import HubTokenScanner

/// Searches a file of any size, a piece at a time, and says in which line and column things are.
struct FileAudit {
    /// A find with its place.
    struct Place {
        let find: SecretFind
        /// Both counted from 1, the column in bytes.
        let line: Int
        let column: Int
    }

    /// How much is read at once.
    private static let chunkSize = 1 << 20

    private var scanner = SecretScanner()
    private var bytes: [UInt8] = []
    /// Where the bytes at hand begin in the file.
    private var offset = 0
    /// Up to where, in the bytes at hand, all is searched, and up to where lines are counted.
    private var searched = 0
    private var counted = 0
    private var line = 1
    private var lineStart = 0

    /// Calls `body` with what is in a file, in order.
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

    /// Forgets bytes that nothing can begin in any more.
    private mutating func drop(_ count: Int) {
        guard count > 0 else { return }
        self.count(upTo: count)
        bytes.removeFirst(count)
        offset += count
        searched -= count
        counted -= count
    }
}
