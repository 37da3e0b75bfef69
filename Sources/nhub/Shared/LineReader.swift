import HubCommandLine
import HubCrypto
import HubLock

/// A reader of a file's lines, which end with LF or CRLF, of the elements of a file that is one JSON array, or of the records of a CSV
/// file. A byte order mark at the start is skipped.
///
/// Memory use is bounded: only the beginning of a long line is kept.
final class LineReader {
    /// A line of the file, an element of its array, or a record of comma-separated values.
    struct Line: Hashable, Sendable {
        /// The line number, starting at 1.
        let number: Int
        /// The bytes of the line without its line ending.
        var bytes: [UInt8]
        /// Whether the line is longer than `bytes`.
        let isTruncated: Bool
        /// Whether the line has a line ending.
        let isTerminated: Bool
        /// The file offsets of the line and its line ending.
        let range: Range<Int>
        /// The number of line breaks within the record of a CSV file, also in the part that `bytes` lacks.
        var innerBreakCount = 0
        /// Whether the file ends inside a quoted field of the record.
        var isOpen = false
        /// The file offset after the line and its line ending.
        var endOffset: Int { range.upperBound }
    }

    /// The format of a file.
    enum Format: Hashable, Sendable {
        /// Lines, or one JSON array.
        case linesOrArray
        /// Comma-separated values (RFC 4180), whose quoted fields can contain line breaks.
        case csv
        /// Lines that a person types. Each is returned immediately, also a blank one, and an array or a byte order mark is not
        /// recognized.
        case interactive
    }

    private let file: InputFile
    private let maximumLength: Int
    private var chunk: [UInt8] = []
    private var position = 0
    private var offset = 0
    private var number = 0
    private var isAtEnd = false
    private var hash = SHA256()
    /// The number of bytes read so far.
    private(set) var byteCount = 0
    /// The scanner of a file that is a JSON array; `nil` for a file of lines.
    private var array: ArrayScanner?
    private let format: Format
    private var record = RecordScanner()
    private var innerBreakCount = 0
    /// Whether the file starts with a byte order mark. It is known after the first line.
    private(set) var hasByteOrderMark = false
    /// Whether enough was read to tell an array from lines.
    private var isFormatKnown: Bool

    /// The part of the next line that has been read.
    private var bytes: [UInt8] = []
    private var count = 0
    private var isTerminated = false

    /// The maximum length of lines with a device, in bytes.
    static let maximumLineLength = 1 << 18

    private static let chunkSize = 1 << 16

    /// Creates a reader.
    ///
    /// - Parameter maximumLength: The number of bytes of a line to keep.
    init(_ file: consuming InputFile, maximumLength: Int, format: Format = .linesOrArray) {
        self.file = file
        self.maximumLength = maximumLength
        self.format = format
        isFormatKnown = format == .interactive
    }

    /// The SHA-256 digest of the bytes read so far, in hexadecimal.
    var digest: String { "\(hash.finalize())" }

    /// Returns whether ``next()`` returns without waiting for more input.
    func isReady() throws(InputFile.ReadError) -> Bool {
        try readLine(waits: false)
    }

    /// Returns the next line, or `nil` at the end.
    func next() throws(InputFile.ReadError) -> Line? {
        _ = try readLine(waits: true)
        if !isTerminated, count == 0 {
            guard let isClosed = array?.isClosed, !isClosed else { return nil }
            // An array without its end is reported as an invalid element.
            array?.isClosed = true
            (bytes, count) = ([UInt8(ascii: "[")], 1)
        }
        defer { (bytes, count, isTerminated, innerBreakCount) = ([], 0, false, 0) }
        return line()
    }

    /// Returns the next line, or `nil` at the end. The file can be a pipe without input, or endless.
    ///
    /// - Throws: `InputFile.ReadError`, or `CancellationError` if the task is cancelled.
    func nextUnlessCancelled() throws -> Line? {
        while try !isReady() {
            try Task.checkCancellation()
            SystemThread.sleep(.milliseconds(20))
        }
        try Task.checkCancellation()
        return try next()
    }

    /// Reads until the next line is complete.
    ///
    /// - Returns: `true` if the line is complete or the file has ended.
    private func readLine(waits: Bool) throws(InputFile.ReadError) -> Bool {
        while !isTerminated {
            if position == chunk.count {
                if isAtEnd { break }
                // Checks for cancellation, because input without line breaks can be endless.
                guard waits || file.isReady && !Task.isCancelled else { return false }
                try readChunk()
                continue
            }
            let end =
                if format == .csv { record.end(in: chunk[position...]) } else if array != nil {
                    array?.endOfElement(in: chunk[position...])
                } else { chunk[position...].firstIndex(of: UInt8(ascii: "\n")) }
            let part = chunk[position..<(end ?? chunk.count)]
            // One extra byte for a CR at the end.
            bytes += part.prefix(maximumLength + 1 - bytes.count)
            count += part.count
            if format == .csv { innerBreakCount += part.count { $0 == UInt8(ascii: "\n") } }
            position = end.map { $0 + 1 } ?? chunk.count
            isTerminated = end != nil
        }
        return true
    }

    private func readChunk() throws(InputFile.ReadError) {
        if isFormatKnown { chunk.removeAll(keepingCapacity: true) }
        let count = chunk.count
        isAtEnd = try file.read(upTo: Self.chunkSize, into: &chunk) == 0
        hash.update(data: chunk[count...])
        byteCount += chunk.count - count
        position = isFormatKnown ? 0 : startOfContent()
    }

    /// Returns the index at which the lines or elements start, or that of the end if more must be read to tell which.
    private func startOfContent() -> Int {
        let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
        let textStart = chunk.starts(with: byteOrderMark) ? byteOrderMark.count : 0
        let isPartOfMark = textStart == 0 && byteOrderMark.starts(with: chunk)
        let start = chunk[textStart...].firstIndex { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        if start == nil || isPartOfMark, !isAtEnd, chunk.count < Self.chunkSize { return chunk.count }
        isFormatKnown = true
        hasByteOrderMark = textStart > 0
        guard format != .csv, let start, chunk[start] == UInt8(ascii: "[") else {
            offset = textStart
            return textStart
        }
        array = ArrayScanner()
        return start + 1
    }

    private func line() -> Line {
        number += 1
        let start = offset
        offset += count + (isTerminated ? 1 : 0)
        var bytes = bytes
        let isComplete = bytes.count == count
        if isComplete, bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        let isTruncated = !isComplete || bytes.count > maximumLength
        return Line(
            number: number, bytes: Array(bytes.prefix(maximumLength)), isTruncated: isTruncated,
            isTerminated: isTerminated, range: start..<offset, innerBreakCount: innerBreakCount,
            isOpen: format == .csv && !isTerminated && record.isInQuotes)
    }
}

/// A scanner that finds the ends of the elements of a JSON array, without parsing them.
private struct ArrayScanner {
    /// Whether the end of the array has been found. Bytes after it form an element, which is invalid unless it is blank.
    var isClosed = false
    /// The number of open objects and arrays in the current element.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Returns the index of the byte that ends the current element: a comma, or the array's closing bracket.
    mutating func endOfElement(in bytes: ArraySlice<UInt8>) -> Int? {
        guard !isClosed else { return nil }
        for (index, byte) in zip(bytes.indices, bytes) {
            if isEscaped {
                isEscaped = false
            } else if isInString {
                isEscaped = byte == UInt8(ascii: "\\")
                isInString = byte != UInt8(ascii: "\"")
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "]") where depth == 0:
                    isClosed = true
                    return index
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
                case UInt8(ascii: ",") where depth == 0: return index
                default: break
                }
            }
        }
        return nil
    }
}

/// A scanner that finds the ends of the records of a CSV file, without parsing them.
private struct RecordScanner {
    private enum Position {
        case startOfField, unquoted, quoted, afterQuote
    }

    private var position = Position.startOfField

    /// Whether the text that was read ends inside a quoted field.
    var isInQuotes: Bool { position == .quoted }

    /// Returns the index of the line feed that ends the current record.
    mutating func end(in bytes: ArraySlice<UInt8>) -> Int? {
        for (index, byte) in zip(bytes.indices, bytes) {
            switch (byte, position) {
            case (UInt8(ascii: "\""), .startOfField), (UInt8(ascii: "\""), .afterQuote): position = .quoted
            case (UInt8(ascii: "\""), .quoted): position = .afterQuote
            case (_, .quoted): break
            case (UInt8(ascii: "\n"), _):
                position = .startOfField
                return index
            case (UInt8(ascii: ","), _): position = .startOfField
            default: position = .unquoted
            }
        }
        return nil
    }
}
