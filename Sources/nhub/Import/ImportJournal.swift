import HubCommandLine
import HubText
import NotificationHubs

/// The journal file of an import. The lines in it are finished, even if the process crashes.
final class ImportJournal {
    /// The journal's content when it was opened.
    private(set) var initial: JournalText

    private let path: String
    private let subject: JournalText.Subject
    private let file: AppendedFile

    /// Opens or creates the journal of an import. Call ``start()`` before adding records.
    ///
    /// - Throws: `UsageError` if the journal belongs to another import or is in use by another process, and ``FileWriteError`` if
    ///   it is a symbolic link, which can lead to another user's choice of file.
    init(path: String, of subject: JournalText.Subject) throws {
        (self.path, self.subject) = (path, subject)
        do {
            file = try AppendedFile(path: path, .openOrCreate)
        } catch {
            throw FileWriteError(what: "the journal \(path)", reason: error)
        }
        guard file.lock() else { throw UsageError("another import is using the journal \(path)") }
        do {
            initial = try JournalText(LineReader(try file.reader(), maximumLength: 1 << 16), of: subject)
        } catch let error as JournalText.MismatchError {
            throw UsageError("cannot resume with journal \(path): \(error)")
        } catch let error as InputFile.ReadError {
            throw FileReadError(what: "the journal \(path)", reason: error)
        } catch let error as AppendedFile.WriteError {
            throw FileWriteError(what: "the journal \(path)", reason: error)
        }
    }

    /// Whether the file is empty.
    var isEmpty: Bool { file.isEmpty }

    /// Prepares the file for records: removes an incomplete record, or the journal of another complete import.
    func start() throws {
        try writing { file throws(AppendedFile.WriteError) in
            try file.truncate(to: initial.byteCount)
            if initial.byteCount == 0 { try file.append(subject.bytes) }
        }
    }

    /// Appends a record, which survives a crash of the process when this function returns.
    func add(_ record: JournalText.Record) throws {
        try writing { file throws(AppendedFile.WriteError) in try file.append(record.bytes) }
    }

    /// Returns whether the journal records an existing failure file, by any of its paths.
    func recordsFailures(in path: String) -> Bool {
        guard let identity = FileIdentity(path) else { return false }
        return initial.failuresPaths.contains { recorded in
            FileIdentity(recorded.utf8.first == Self.slash ? recorded : Self.parts(of: self.path).directory + recorded)
                == identity
        }
    }

    /// Records an existing failure file.
    func addFailures(in path: String) throws {
        let (directory, name) = try Self.parts(of: Self.resolved(path))
        let isBesideJournal = try directory.hasSameBytes(as: Self.parts(of: Self.resolved(self.path)).directory)
        try add(.failures(path: isBesideJournal ? name : directory + name))
    }

    private static let slash = UInt8(ascii: "/")

    private static func resolved(_ path: String) throws(FileReadError) -> String {
        do {
            return String(decoding: try Directory.resolved(Array(path.utf8)), as: UTF8.self)
        } catch {
            throw FileReadError(what: path, reason: error)
        }
    }

    /// Returns the directory of a path with its trailing slash, and the name.
    private static func parts(of path: String) -> (directory: String, name: String) {
        let start = path.utf8.lastIndex(of: slash).map(path.utf8.index(after:)) ?? path.startIndex
        return (String(path[..<start]), String(path[start...]))
    }

    /// Flushes the journal to disk.
    func synchronize() throws {
        try writing { file throws(AppendedFile.WriteError) in try file.synchronize() }
    }

    /// Removes all records, so that the import starts over.
    func restart() throws {
        initial = JournalText()
        try start()
    }

    /// Removes the journal of a complete import.
    func remove() {
        AppendedFile.remove(path)
    }

    private func writing(_ body: (AppendedFile) throws(AppendedFile.WriteError) -> Void) throws {
        do {
            try body(file)
        } catch {
            throw FileWriteError(what: "the journal \(path)", reason: error)
        }
    }
}

/// The text format of a journal.
///
/// The first line is a JSON object that identifies the import. Each following line records a finished line of the input, such as
/// `12 put`, or the path of the failure file. The last one can be `complete`: the journal of an import with failures stays, so that the
/// same command reports the result again, even if the process was killed before it reported it.
struct JournalText: Hashable, Sendable {
    /// The import that the journal belongs to.
    struct Subject: Hashable, Sendable {
        let content: ImportInput.Content
        /// Whether the input is a CSV file, whose records can contain line breaks.
        var isCSV = false
        /// The hub's URL.
        let hub: String

        /// The journal's first line with its line ending.
        var bytes: [UInt8] {
            var object = JSONOutput()
            object.add("nhubImport", 1)
            object.add("hub", hub)
            object.add("size", Int64(content.byteCount))
            object.add("sha256", content.digest)
            if isCSV { object.add("format", DeviceFormat.csv.rawValue) }
            return object.bytes + [UInt8(ascii: "\n")]
        }
    }

    /// A line after the first one.
    enum Record: Hashable, Sendable {
        case finished(Int, FinishedLines.Ending)
        /// A failure file. The path is relative to the journal's directory, so that both files can be moved, or absolute.
        case failures(path: String)
        /// All lines are finished, and some failed.
        case complete

        /// The record with its line ending.
        var bytes: [UInt8] {
            switch self {
            case .complete: return Array("\(Self.completeText)\n".utf8)
            case .finished(let line, let ending):
                return Array("\(line) \(ending.rawValue)\n".utf8)
            case .failures(let path):
                var object = JSONOutput()
                object.add("failures", path)
                return object.bytes + [UInt8(ascii: "\n")]
            }
        }

        private static let completeText = "complete"

        /// Parses a record without its line ending, or returns `nil` if it is invalid.
        init?(_ bytes: [UInt8]) {
            if bytes.elementsEqual(Self.completeText.utf8) {
                self = .complete
            } else if bytes.first == UInt8(ascii: "{") {
                guard case .object(let object)? = try? JSONValue(parsing: bytes),
                    case .string(let path)? = object["failures"]
                else { return nil }
                self = .failures(path: path)
            } else {
                let words = bytes.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
                    .map { String(decoding: $0, as: UTF8.self) }
                guard words.count == 2, let line = Int(words[0]), line > 0,
                    let ending = FinishedLines.Ending(rawValue: words[1])
                else { return nil }
                self = .finished(line, ending)
            }
        }

        init(_ line: Int, _ ending: FinishedLines.Ending) {
            self = .finished(line, ending)
        }
    }

    /// An error for a file that is not the journal of this import.
    enum MismatchError: Error, Hashable, CustomStringConvertible {
        case notAJournal
        case differentHub(String)
        case inputChanged
        case differentFormat
        case invalidRecord(line: Int)

        var description: String {
            let remedy = " (remove the journal to start over)"
            return switch self {
            // No advice to remove it: the file may be anything, even the input.
            case .notAJournal: "not the journal of an import (use --journal to select another file)"
            case .differentHub(let hub): "it belongs to an import into another hub, \(hub)\(remedy)"
            case .inputChanged: "the input has changed since the import began\(remedy)"
            case .differentFormat: "it belongs to an import in another format\(remedy)"
            case .invalidRecord(let line): "invalid record at line \(line)\(remedy)"
            }
        }
    }

    /// The finished lines.
    private(set) var finished = FinishedLines()
    /// The paths of the failure files: several if the import was resumed with another one.
    private(set) var failuresPaths: [String] = []
    /// Whether the import was complete, with failures.
    private(set) var isComplete = false
    /// The number of bytes in complete records. An interrupted write can leave an incomplete record after them.
    private(set) var byteCount = 0

    /// Creates an empty journal.
    init() {}

    /// Reads a journal. That of another complete import counts as empty.
    ///
    /// - Throws: ``MismatchError`` or `InputFile.ReadError`.
    init(_ lines: LineReader, of subject: Subject) throws {
        guard let first = try lines.next() else { return }
        guard first.isTerminated else {
            guard subject.bytes.starts(with: first.bytes) else { throw MismatchError.notAJournal }
            return
        }
        let mismatch = try Self.mismatch(first.bytes, subject)
        byteCount = first.endOffset
        while let line = try lines.next(), line.isTerminated {
            switch Record(line.bytes) {
            case .finished(let number, let ending): finished.insert(number, ending)
            case .failures(let path): failuresPaths.append(path)
            case .complete: isComplete = true
            case nil: throw mismatch ?? .invalidRecord(line: line.number)
            }
            byteCount = line.endOffset
        }
        guard let mismatch else { return }
        guard isComplete else { throw mismatch }
        self = JournalText()
    }

    /// Returns the difference between a journal's import and this one, if any.
    private static func mismatch(_ line: [UInt8], _ subject: Subject) throws(MismatchError) -> MismatchError? {
        if subject.bytes.dropLast().elementsEqual(line) { return nil }
        guard case .object(let object)? = try? JSONValue(parsing: line),
            object["nhubImport"] == .number(.init(1)), case .string(let hub)? = object["hub"]
        else { throw .notAJournal }
        guard hub.hasSameBytes(as: subject.hub) else { return .differentHub(hub) }
        return (object["format"] != nil) == subject.isCSV ? .inputChanged : .differentFormat
    }
}
