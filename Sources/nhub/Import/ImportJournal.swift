import HubCommandLine

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
