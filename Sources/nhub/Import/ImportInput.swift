import HubCommandLine
import HubCrypto

/// What is imported: a file, known again by its content, or standard input, which can be read but once.
struct ImportInput: Sendable {
    /// The file's path, or `-`.
    let path: String
    /// What the file holds; `nil` for standard input.
    let content: Content?

    /// What a file holds.
    struct Content: Hashable, Sendable {
        let byteCount: Int
        /// The SHA-256 of all bytes, in hexadecimal digits.
        let digest: String
        /// How many lines there are.
        let lineCount: Int
    }

    /// While it is imported, the file must stay as it is.
    struct Changed: Error, CustomStringConvertible {
        let description = "it has changed since the import began"
    }

    /// Looks at what is at a path, reading a file from end to end.
    ///
    /// - Throws: ``CannotRead``, and `UsageError` for what could not be read again to resume.
    init(path: String) throws {
        self.path = path
        if path == "-" {
            content = nil
            return
        }
        do {
            let file = try InputFile(path: Array(path.utf8))
            guard file.isRegular else {
                throw UsageError("the input is no file that can be read again; give - for it, and it by < or a pipe")
            }
            content = try Self.content(of: file)
        } catch let error as InputFile.Unreadable {
            throw CannotRead(what: "the input", reason: error)
        }
    }

    /// The lines from the first one on.
    func lines() throws(CannotRead) -> LineReader {
        if path == "-" { return LineReader(.standardInput, longest: ImportLine.longest) }
        do {
            return LineReader(try InputFile(path: Array(path.utf8)), longest: ImportLine.longest)
        } catch {
            throw CannotRead(what: "the input", reason: error)
        }
    }

    private static func content(of file: borrowing InputFile) throws(InputFile.Unreadable) -> Content {
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

/// A file that cannot be read, and what it is there for.
struct CannotRead: Error, CustomStringConvertible {
    let what: String
    let reason: any Error

    var description: String { "cannot read \(what): \(reason)" }
}

/// A file that cannot be written, and what it is there for.
struct CannotWrite: Error, CustomStringConvertible {
    let what: String
    let reason: AppendedFile.Failure

    var description: String { "cannot write \(what): \(reason)" }
}

/// Takes a file's lines out of it, one after the other. A line ends with LF or CRLF.
///
/// Memory stays bounded: of a line that is too long, only its beginning is kept.
final class LineReader {
    /// A line.
    struct Line: Hashable, Sendable {
        /// Which one it is, from 1 on.
        let number: Int
        /// Its bytes, without its end.
        var bytes: [UInt8]
        /// Whether these are not all.
        let isCut: Bool
        /// Whether it has an end of its own, and not only that of the file.
        let isTerminated: Bool
        /// How many bytes the file has up to its end, with it.
        let endOffset: Int
    }

    private let file: InputFile
    private let longest: Int
    private var chunk: [UInt8] = []
    private var position = 0
    private var offset = 0
    private var number = 0
    private var isAtEnd = false
    private var hash = SHA256()

    /// The next line, as far as it has been read.
    private var bytes: [UInt8] = []
    private var count = 0
    private var isTerminated = false

    private static let chunkSize = 1 << 16

    /// - Parameter longest: how many bytes of a line are kept.
    init(_ file: consuming InputFile, longest: Int) {
        self.file = file
        self.longest = longest
    }

    /// The SHA-256 of all that was read, in hexadecimal digits: at the end, that of the file.
    var digest: String { "\(hash.finalize())" }

    /// Whether ``next()`` need not wait for whoever writes the file.
    func isReady() throws(InputFile.Unreadable) -> Bool {
        try readLine(waits: false)
    }

    /// The next line; `nil` at the end.
    func next() throws(InputFile.Unreadable) -> Line? {
        _ = try readLine(waits: true)
        guard isTerminated || count > 0 else { return nil }
        defer { (bytes, count, isTerminated) = ([], 0, false) }
        return line()
    }

    /// Reads on until the line is whole.
    ///
    /// - Returns: whether it is, or there is none.
    private func readLine(waits: Bool) throws(InputFile.Unreadable) -> Bool {
        while !isTerminated, !isAtEnd {
            if position == chunk.count {
                // What has no line break may have no end either.
                guard waits || file.isReady && !Task.isCancelled else { return false }
                try readChunk()
                continue
            }
            let end = chunk[position...].firstIndex(of: UInt8(ascii: "\n"))
            let part = chunk[position..<(end ?? chunk.count)]
            // One more, for the CR at the end.
            bytes += part.prefix(longest + 1 - bytes.count)
            count += part.count
            position = end.map { $0 + 1 } ?? chunk.count
            isTerminated = end != nil
        }
        return true
    }

    private func readChunk() throws(InputFile.Unreadable) {
        chunk.removeAll(keepingCapacity: true)
        position = 0
        isAtEnd = try file.read(upTo: Self.chunkSize, into: &chunk) == 0
        hash.update(data: chunk)
    }

    private func line() -> Line {
        number += 1
        offset += count + (isTerminated ? 1 : 0)
        var bytes = bytes
        let hasAll = bytes.count == count
        if hasAll, bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        let isCut = !hasAll || bytes.count > longest
        return Line(
            number: number, bytes: Array(bytes.prefix(longest)), isCut: isCut, isTerminated: isTerminated,
            endOffset: offset)
    }
}
