import HubCommandLine
import HubCrypto
import HubLock

/// The input of an import: a file, identified by its content, or standard input, which can be read only once.
struct ImportInput: Sendable {
    /// The file's path, or `-` for standard input.
    let path: String
    /// The properties of the file's content, or `nil` for standard input.
    let content: Content?

    /// The properties of a file's content.
    struct Content: Hashable, Sendable {
        let byteCount: Int
        /// The SHA-256 digest of the file, in hexadecimal.
        let digest: String
        let lineCount: Int
    }

    /// An error for a file that changed during its import.
    struct InputChangedError: Error, CustomStringConvertible {
        let description = "the file has changed since the import began"
    }

    /// Opens an input, and reads a file completely.
    ///
    /// - Throws: ``FileReadError``, or `UsageError` for a file that cannot be read again to resume the import.
    init(path: String) throws {
        self.path = path
        if path == "-" {
            content = nil
            return
        }
        do {
            let file = try InputFile(path: Array(path.utf8))
            guard file.isRegular else {
                throw UsageError("the input is not a regular file: pass - and redirect it to standard input")
            }
            content = try Self.content(of: file)
        } catch let error as InputFile.ReadError {
            throw FileReadError(what: "the input", reason: error)
        }
    }

    /// Returns a reader of the input's lines.
    func lines() throws(FileReadError) -> LineReader {
        if path == "-" { return LineReader(.standardInput, maximumLength: ImportLine.maximumLength) }
        do {
            return LineReader(try InputFile(path: Array(path.utf8)), maximumLength: ImportLine.maximumLength)
        } catch {
            throw FileReadError(what: "the input", reason: error)
        }
    }

    private static func content(of file: borrowing InputFile) throws(InputFile.ReadError) -> Content {
        var hash = SHA256()
        var (byteCount, lineCount) = (0, 0)
        var chunk: [UInt8] = []
        var isLineOpen = false
        while try file.read(upTo: 1 << 18, into: &chunk) > 0 {
            hash.update(data: chunk)
            byteCount += chunk.count
            lineCount += chunk.count { $0 == UInt8(ascii: "\n") }
            isLineOpen = chunk.last != UInt8(ascii: "\n")
            chunk.removeAll(keepingCapacity: true)
        }
        return Content(
            byteCount: byteCount, digest: "\(hash.finalize())", lineCount: lineCount + (isLineOpen ? 1 : 0))
    }
}

/// An error for a file that cannot be read.
struct FileReadError: Error, CustomStringConvertible {
    let what: String
    let reason: any Error

    var description: String { "cannot read \(what): \(reason)" }
}

/// An error for a file that cannot be written.
struct FileWriteError: Error, CustomStringConvertible {
    let what: String
    let reason: AppendedFile.WriteError

    var description: String { "cannot write \(what): \(reason)" }
}

/// A reader of a file's lines, which end with LF or CRLF.
///
/// Memory use is bounded: only the beginning of a long line is kept.
final class LineReader {
    /// A line of the file.
    struct Line: Hashable, Sendable {
        /// The line number, starting at 1.
        let number: Int
        /// The bytes of the line without its line ending.
        var bytes: [UInt8]
        /// Whether the line is longer than `bytes`.
        let isTruncated: Bool
        /// Whether the line has a line ending.
        let isTerminated: Bool
        /// The file offset after the line and its line ending.
        let endOffset: Int
    }

    private let file: InputFile
    private let maximumLength: Int
    private var chunk: [UInt8] = []
    private var position = 0
    private var offset = 0
    private var number = 0
    private var isAtEnd = false
    private var hash = SHA256()

    /// The part of the next line that has been read.
    private var bytes: [UInt8] = []
    private var count = 0
    private var isTerminated = false

    private static let chunkSize = 1 << 16

    /// Creates a reader.
    ///
    /// - Parameter maximumLength: The number of bytes of a line to keep.
    init(_ file: consuming InputFile, maximumLength: Int) {
        self.file = file
        self.maximumLength = maximumLength
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
        guard isTerminated || count > 0 else { return nil }
        defer { (bytes, count, isTerminated) = ([], 0, false) }
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
        while !isTerminated, !isAtEnd {
            if position == chunk.count {
                // Checks for cancellation, because input without line breaks can be endless.
                guard waits || file.isReady && !Task.isCancelled else { return false }
                try readChunk()
                continue
            }
            let end = chunk[position...].firstIndex(of: UInt8(ascii: "\n"))
            let part = chunk[position..<(end ?? chunk.count)]
            // One extra byte for a CR at the end.
            bytes += part.prefix(maximumLength + 1 - bytes.count)
            count += part.count
            position = end.map { $0 + 1 } ?? chunk.count
            isTerminated = end != nil
        }
        return true
    }

    private func readChunk() throws(InputFile.ReadError) {
        chunk.removeAll(keepingCapacity: true)
        position = 0
        isAtEnd = try file.read(upTo: Self.chunkSize, into: &chunk) == 0
        hash.update(data: chunk)
    }

    private func line() -> Line {
        number += 1
        offset += count + (isTerminated ? 1 : 0)
        var bytes = bytes
        let isComplete = bytes.count == count
        if isComplete, bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        let isTruncated = !isComplete || bytes.count > maximumLength
        return Line(
            number: number, bytes: Array(bytes.prefix(maximumLength)), isTruncated: isTruncated,
            isTerminated: isTerminated,
            endOffset: offset)
    }
}
