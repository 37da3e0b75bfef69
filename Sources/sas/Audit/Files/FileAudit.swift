import HubCommandLine
import HubText
import HubTokenScanner

/// A search through a file of any size that counts lines and columns.
struct FileAudit {
    /// A found secret and its position.
    struct Location {
        let match: SecretMatch
        let start: TextPosition
        let end: TextPosition
        /// Whether a comment on the secret's lines allows it.
        let isAllowed: Bool
    }

    /// The number of bytes to read at once.
    private static let chunkSize = 1 << 20
    /// The word in a comment that allows the secrets on its line.
    private static let allowance = "sas:allow"

    private var scanner = SecretScanner(decompress: Zlib.shared?.start)
    private var bytes: [UInt8] = []
    /// The offset of `bytes` in the file.
    private var offset = 0
    /// The number of searched bytes at the start of `bytes`.
    private var searched = 0
    private var encoding: TextEncoding?
    /// The number of bytes at the start of `bytes` that `position` follows.
    private var counted = 0
    /// The offsets of the last secret's lines in the file, and whether a comment allows their secrets. A line can contain many.
    private var examined: (lines: Range<Int>, isAllowed: Bool)?
    private var position = TextPosition()
    /// The position at the start of `bytes`.
    private var startPosition = TextPosition()

    /// The searched bytes of a file.
    struct Extent {
        let byteCount: Int
        /// Whether the file is a gzip file that was not decompressed, because zlib is missing.
        let isCompressed: Bool
    }

    /// Calls `body` with each secret in a file. Decompresses gzip files.
    static func run(_ read: InputFile.Reader, _ body: (Location) throws -> Void) throws -> Extent {
        var start: [UInt8] = []
        while start.count < 3, try read(chunkSize, &start) > 0 {}
        guard GzipLayers.isGzip(start) else {
            var audit = FileAudit()
            audit.bytes = start
            repeat { try audit.search(isEnd: false, body) } while try read(chunkSize, &audit.bytes) > 0
            try audit.finish(body)
            return Extent(byteCount: audit.byteCount, isCompressed: false)
        }
        var layers = GzipLayers()
        repeat {
            try layers.search(start, body)
            start.removeAll()
        } while try read(chunkSize, &start) > 0
        return try layers.finish(body)
    }

    /// The number of bytes so far.
    var byteCount: Int { offset + bytes.count }

    /// Searches the next bytes of a file.
    mutating func search(_ piece: [UInt8], _ body: (Location) throws -> Void) throws {
        bytes += piece
        try search(isEnd: false, body)
    }

    /// Searches the end of a file.
    mutating func finish(_ body: (Location) throws -> Void) throws { try search(isEnd: true, body) }

    private mutating func search(isEnd: Bool, _ body: (Location) throws -> Void) throws {
        let end = isEnd ? bytes.count : bytes.count - SecretScanner.contextAfter
        guard end > searched else { return }
        for match in scanner.scan(bytes, searched..<end, offset: offset) {
            let range = (match.range.lowerBound - offset)..<(match.range.upperBound - offset)
            advance(to: range.lowerBound)
            var end = position
            let secret = bytes[counted..<max(counted, aligned(range.upperBound))]
            end.advance(over: secret.span, textEncoding)
            try body(Location(match: match, start: position, end: end, isAllowed: isAllowed(range)))
        }
        searched = end
        removeFirst(max(0, end - SecretScanner.contextBefore))
    }

    /// Returns whether the lines of a secret contain the word that allows it.
    private mutating func isAllowed(_ range: Range<Int>) -> Bool {
        let offsets = (range.lowerBound + offset)..<(range.upperBound + offset)
        if let examined, examined.lines.contains(offsets) { return examined.isAllowed }
        let newline = UInt8(ascii: "\n")
        let start = bytes[..<range.lowerBound].lastIndex(of: newline) ?? 0
        let end = bytes[range.upperBound...].firstIndex(of: newline) ?? bytes.count
        let lines = bytes[start..<end].filter { $0 != 0 }
        let word = lines.firstIndex(ignoringCase: Self.allowance)
        let following = word.flatMap { lines.dropFirst($0 + Self.allowance.utf8.count).first }
        let isAllowed = word != nil && following.map(\.isASCIILetterOrDigit) != true
        examined = ((start + offset)..<(end + offset), isAllowed)
        return isAllowed
    }

    private var textEncoding: TextEncoding { encoding ?? TextEncoding(start: []) }

    /// Returns the start of the code unit at an index. In big-endian text, a secret starts at the last byte of its first unit.
    private func aligned(_ index: Int) -> Int { index & ~(textEncoding.unitSize - 1) }

    /// Moves the position to an index of `bytes`.
    private mutating func advance(to end: Int) {
        if encoding == nil { encoding = TextEncoding(start: bytes.prefix(16)) }
        let start = offset == 0 ? min(textEncoding.markSize, bytes.count) : 0
        let end = aligned(end)
        if end < counted || counted < start { (counted, position) = (start, startPosition) }
        guard end > counted else { return }
        var position = position
        let text = bytes[counted..<end]
        position.advance(over: text.span, textEncoding)
        self.position = position
        counted = end
    }

    /// Removes bytes in which no other secret can start.
    private mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        // Keep code units complete.
        let count = count & ~3
        advance(to: count)
        startPosition = position
        bytes.removeFirst(count)
        offset += count
        searched -= count
        counted -= count
    }
}
