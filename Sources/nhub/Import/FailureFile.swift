import HubCommandLine
import NotificationHubs

/// The file of failed lines, which can be corrected and imported.
///
/// It contains one JSON object per line, with the line's number, the error and the line itself. For CSV input, it is a
/// CSV file: the header, and for each failed record a ``FailureComment`` and the unchanged record.
///
/// The file is created at the first failure. A file from another import is never changed.
final class FailureFile {
    let path: String
    /// The header of a CSV file with its line ending.
    var header: [UInt8] = []
    private let input: ImportInput
    /// The failed lines that the file contains but the journal lacks.
    private(set) var unrecordedLines: Set<Int> = []
    private var file: AppendedFile?

    /// Opens the file, if it exists.
    ///
    /// - Parameters:
    ///   - input: The input of the import.
    ///   - isOwn: Whether an earlier run of this import created the file.
    ///   - mayOverwrite: Whether to remove the failures of another import.
    ///   - finished: The lines in the journal.
    /// - Throws: `UsageError` if the file contains another import's failures.
    init(
        path: String, of input: ImportInput, isOwn: Bool, mayOverwrite: Bool, finished: FinishedLines
    ) throws {
        (self.path, self.input) = (path, input)
        do {
            let existing = try AppendedFile(path: path, .open)
            if !isOwn, mayOverwrite { try existing.truncate(to: 0) }
            // An empty file is left over from a process that ended right after creating it.
            if isOwn || existing.isEmpty {
                file = existing
                if input.format == .csv { try recoverRecords(finished) } else { try recover(finished) }
            } else {
                throw UsageError(
                    "\(path) contains failures of another import: correct and import it, move it, or pass --overwrite-failures"
                )
            }
        } catch let error as AppendedFile.WriteError where error.isMissing {
            // The user may have moved the file to correct it.
            file = nil
        } catch let error as AppendedFile.WriteError {
            throw FileWriteError(what: path, reason: error)
        } catch let error as InputFile.ReadError {
            throw FileReadError(what: path, reason: error)
        }
    }

    /// Whether the file contains failures.
    var containsFailures: Bool { file.map { !$0.isEmpty } ?? false }

    /// Reads failed lines that the journal lacks because the process ended between the two writes, and truncates an incomplete
    /// line.
    private func recover(_ finished: FinishedLines) throws {
        let lines = LineReader(try InputFile(path: Array(path.utf8)), maximumLength: ImportLine.maximumLength * 8)
        var completeByteCount = 0
        while let line = try lines.next() {
            let json = try? JSONValue(parsing: line.bytes)
            if !line.isTerminated {
                // A complete object stays, since the user may have corrected the line.
                if json == nil {
                    try file?.truncate(to: completeByteCount)
                } else {
                    try file?.append([UInt8(ascii: "\n")])
                }
            }
            if let number = json.flatMap(Self.number), !finished.contains(number) { unrecordedLines.insert(number) }
            completeByteCount = line.endOffset
        }
    }

    /// Reads the comments of the failed records that the journal lacks, and truncates an incomplete record.
    private func recoverRecords(_ finished: FinishedLines) throws {
        let lines = LineReader(
            try InputFile(path: Array(path.utf8)), maximumLength: FailureComment.maximumLength, format: .csv)
        var headerEnd = 0
        /// The comment of the next record.
        var comment: (number: Int, start: Int)?
        while let line = try lines.next() {
            if line.number == 1 {
                headerEnd = line.isTerminated ? line.endOffset : 0
                if !line.isTerminated { try file?.truncate(to: 0) }
            } else if let number = FailureComment.number(in: line.bytes) {
                comment = (number, line.range.lowerBound)
                if !line.isTerminated { try file?.truncate(to: line.range.lowerBound) }
            } else if !line.isTerminated, FailureComment.isStart(line.bytes) {
                try file?.truncate(to: line.range.lowerBound)
            } else if line.bytes.isEmpty {
                continue
            } else {
                if !line.isTerminated {
                    // The record is incomplete, unless the journal contains it or the user has added it.
                    if let comment, !finished.contains(comment.number) { break }
                    if !line.isOpen { try file?.append(Array("\r\n".utf8)) }
                }
                if let comment, !finished.contains(comment.number) { unrecordedLines.insert(comment.number) }
                comment = nil
            }
        }
        if let comment, !finished.contains(comment.number) { try file?.truncate(to: comment.start) }
        // A header alone is not a failure, and no line ends after a byte order mark alone.
        if let file, headerEnd == 0 || file.byteCount == headerEnd { try file.truncate(to: 0) }
    }

    private static func number(_ json: JSONValue) -> Int? {
        guard case .object(let object) = json, case .number(let number)? = object["line"] else { return nil }
        return Int(number.text)
    }

    /// Creates the file, unless it is open.
    ///
    /// - Throws: ``FileWriteError`` if another program has created the file.
    func create() throws {
        if file != nil { return }
        do {
            file = try AppendedFile(path: path, .create)
        } catch {
            throw FileWriteError(what: path, reason: error)
        }
    }

    /// Appends a failure.
    func add(_ line: Int, _ reason: String, _ content: ImportLine.Content) throws {
        do {
            switch content {
            case .record(let bytes):
                let ending = bytes.last == UInt8(ascii: "\n") ? "" : "\r\n"
                try file?.append(start(line, reason) + bytes + ending.utf8)
            case .longRecord(let range): try add(line, reason, range)
            case .json, .text: try file?.append(Self.bytes(line, reason, content))
            }
        } catch let error as AppendedFile.WriteError {
            throw FileWriteError(what: path, reason: error)
        }
    }

    /// Returns the comment of a record, after the header if it is the first one.
    private func start(_ record: Int, _ reason: String) -> [UInt8] {
        (containsFailures ? [] : header) + FailureComment(number: record, reason: reason).bytes
    }

    /// Appends a record that is too long to keep: copies it from the input.
    private func add(_ record: Int, _ reason: String, _ range: Range<Int>) throws {
        guard input.path != "-" else {
            let cure = "; the record is omitted here, because standard input cannot be read again: correct the input"
            return try file?.append(start(record, reason + cure)) ?? ()
        }
        try file?.append(start(record, reason))
        do {
            let source = try InputFile(path: Array(input.path.utf8))
            try source.seek(to: range.lowerBound)
            var (chunk, remaining): ([UInt8], Int) = ([], range.count)
            var last: UInt8?
            while remaining > 0 {
                chunk.removeAll(keepingCapacity: true)
                let count = try source.read(upTo: min(remaining, 1 << 16), into: &chunk)
                guard count > 0 else {
                    throw FileReadError("the input", input.path, reason: ImportInput.InputChangedError())
                }
                remaining -= count
                last = chunk.last
                try file?.append(chunk)
            }
            if last != UInt8(ascii: "\n") { try file?.append(Array("\r\n".utf8)) }
        } catch let error as InputFile.ReadError {
            throw FileReadError("the input", input.path, reason: error)
        }
    }

    /// Flushes the file to disk.
    func synchronize() throws {
        do {
            try file?.synchronize()
        } catch {
            throw FileWriteError(what: path, reason: error)
        }
    }

    /// Returns the line that records a failure.
    static func bytes(_ line: Int, _ reason: String, _ content: ImportLine.Content) -> [UInt8] {
        var object = JSONOutput()
        object.add("line", Int64(line))
        object.add("error", reason)
        switch content {
        case .json(let bytes, let kind): object.add(kind.rawValue, literal: String(decoding: bytes, as: UTF8.self))
        case .text(let text): object.add("text", text)
        case .record, .longRecord: preconditionFailure("records are written as CSV")
        }
        return object.bytes + [UInt8(ascii: "\n")]
    }
}

/// A set of finished lines: all lines up to a mark, and some after it.
///
/// The memory use is proportional to the number of lines after the mark.
struct FinishedLines: Hashable, Sendable {
    /// The last line before the first unfinished one.
    private(set) var mark = 0
    private var linesAfterMark: Set<Int> = []

    /// The result of a finished line.
    enum Ending: String, CaseIterable, Sendable {
        case put, failed, blank
    }

    private var counts: [Ending: Int] = [:]

    /// Returns the number of lines with a result.
    func count(_ ending: Ending) -> Int { counts[ending, default: 0] }

    /// The number of finished lines.
    var count: Int { mark + linesAfterMark.count }

    /// Returns whether a line is finished.
    func contains(_ line: Int) -> Bool {
        line <= mark || linesAfterMark.contains(line)
    }

    /// Adds a finished line. A line that is already finished keeps its result.
    mutating func insert(_ line: Int, _ ending: Ending) {
        guard line > mark, linesAfterMark.insert(line).inserted else { return }
        counts[ending, default: 0] += 1
        while linesAfterMark.remove(mark + 1) != nil { mark += 1 }
    }
}
