import HubCommandLine
import NotificationHubs

/// The journal of an import on the disk: what is in it is finished, however the process ends.
final class ImportJournal {
    /// What stood in it when it was opened.
    let before: JournalText

    private let path: String
    private let file: AppendedFile

    /// Opens the journal of an import, or begins one.
    ///
    /// - Throws: `UsageError` if it is of another import, or another process is at it.
    init(path: String, of subject: JournalText.Subject) throws {
        self.path = path
        do {
            file = try AppendedFile(path: path, .either)
        } catch {
            throw CannotWrite(what: "the journal", reason: error)
        }
        guard file.lock() else { throw UsageError("another import is at work on this input, by the same journal") }
        do {
            before = try JournalText(
                LineReader(try InputFile(path: Array(path.utf8)), longest: 1 << 16), of: subject)
        } catch let problem as JournalText.Problem {
            throw UsageError("the journal \(path) cannot be continued: \(problem)")
        } catch let error as InputFile.Unreadable {
            throw CannotRead(what: "the journal", reason: error)
        }
        try writing { file throws(AppendedFile.Failure) in
            try file.truncate(to: before.byteCount)
            if before.byteCount == 0 { try file.append(subject.bytes) }
        }
    }

    /// Adds a record; once this returns, it stays.
    func add(_ record: JournalText.Record) throws {
        try writing { file throws(AppendedFile.Failure) in try file.append(record.bytes) }
    }

    /// Has all records survive the end of the machine, too.
    func synchronize() throws {
        try writing { file throws(AppendedFile.Failure) in try file.synchronize() }
    }

    /// Removes the journal: the import is complete.
    func remove() {
        AppendedFile.remove(path)
    }

    private func writing(_ body: (AppendedFile) throws(AppendedFile.Failure) -> Void) throws {
        do {
            try body(file)
        } catch {
            throw CannotWrite(what: "the journal", reason: error)
        }
    }
}

/// How a journal is written: a line of JSON that says of what it is the journal, then a line for each line of the input that
/// is finished, such as `12 put`, and one for the file of failures once there is one.
struct JournalText: Hashable, Sendable {
    /// What the journal is of.
    struct Subject: Hashable, Sendable {
        let content: ImportInput.Content
        /// The hub's URL.
        let hub: String

        /// The journal's first line, with its end.
        var bytes: [UInt8] {
            var object = JSONOutput()
            object.add("nhubImport", 1)
            object.add("hub", hub)
            object.add("size", Int64(content.byteCount))
            object.add("sha256", content.digest)
            return object.bytes + [UInt8(ascii: "\n")]
        }
    }

    /// A line of it, but for the first one.
    enum Record: Hashable, Sendable {
        case finished(Int, FinishedLines.Ending)
        case failures(path: String)

        /// The record, with its end.
        var bytes: [UInt8] {
            switch self {
            case .finished(let line, let ending):
                return Array("\(line) \(ending.rawValue)\n".utf8)
            case .failures(let path):
                var object = JSONOutput()
                object.add("failures", path)
                return object.bytes + [UInt8(ascii: "\n")]
            }
        }

        /// - Returns: `nil` for what is no record.
        init?(_ bytes: [UInt8]) {
            if bytes.first == UInt8(ascii: "{") {
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

    /// Why a file is not taken for the journal of an import.
    enum Problem: Error, Hashable, CustomStringConvertible {
        case foreign
        case otherHub(String)
        case otherContent
        case damaged(line: Int)

        var description: String {
            let advice = "; to import from the beginning, remove it"
            return switch self {
            // Somebody's file, perhaps the input itself.
            case .foreign: "it is no journal of an import; --journal names another file"
            case .otherHub(let hub): "it is of an import into another hub, \(hub)\(advice)"
            case .otherContent: "the input has changed since that import began\(advice)"
            case .damaged(let line): "its line \(line) is damaged\(advice)"
            }
        }
    }

    /// The lines that are finished.
    private(set) var finished = FinishedLines()
    /// Where failures were written.
    private(set) var failuresPath: String?
    /// How many bytes of the journal count: what a broken-off write has left behind them does not.
    private(set) var byteCount = 0

    /// A journal without any line.
    init() {}

    /// Reads a journal.
    ///
    /// - Throws: ``Problem``, `InputFile.Unreadable`.
    init(_ lines: LineReader, of subject: Subject) throws {
        guard let first = try lines.next() else { return }
        guard first.isTerminated else {
            guard subject.bytes.starts(with: first.bytes) else { throw Problem.foreign }
            return
        }
        try Self.check(first.bytes, subject)
        byteCount = first.endOffset
        while let line = try lines.next(), line.isTerminated {
            switch Record(line.bytes) {
            case .finished(let number, let ending): finished.insert(number, ending)
            case .failures(let path): failuresPath = path
            case nil: throw Problem.damaged(line: line.number)
            }
            byteCount = line.endOffset
        }
    }

    private static func check(_ line: [UInt8], _ subject: Subject) throws(Problem) {
        if subject.bytes.dropLast().elementsEqual(line) { return }
        guard case .object(let object)? = try? JSONValue(parsing: line),
            object["nhubImport"] == .number(.init(1)), case .string(let hub)? = object["hub"]
        else { throw .foreign }
        throw hub.utf8.elementsEqual(subject.hub.utf8) ? .otherContent : .otherHub(hub)
    }
}
