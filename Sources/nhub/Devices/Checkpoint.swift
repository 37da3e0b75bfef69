import HubCommandLine
import NotificationHubs

/// A file that records the progress of a command, so that the same command resumes after an interruption.
///
/// The first line identifies the command. Each following line is a state, and the last complete one counts.
final class Checkpoint {
    /// The state when the file was opened; `nil` for a new file.
    let initial: JSONObject?
    let path: String
    private let file: AppendedFile
    /// The time of the last record; `nil` before the first one, which is always due.
    private var lastRecorded: ContinuousClock.Instant?

    /// The time between two records, which are flushed to disk.
    private static let interval = Duration.seconds(1)

    /// Opens or creates the file.
    ///
    /// - Parameter subject: The object that identifies the command, its hub and its options.
    /// - Throws: `UsageError` if the file belongs to another command or is in use by another process.
    init(path: String, of subject: JSONOutput) throws {
        self.path = path
        do {
            file = try AppendedFile(path: path, .openOrCreate)
        } catch {
            throw FileWriteError(what: "the journal \(path)", reason: error)
        }
        guard file.lock() else { throw UsageError("another command is using the journal \(path)") }
        let head = subject.bytes
        var state: JSONObject?
        var byteCount = 0
        do {
            let lines = LineReader(try file.reader(), maximumLength: 1 << 16)
            while let line = try lines.next() {
                if line.number == 1 {
                    // The first line can be incomplete.
                    guard line.isTerminated ? line.bytes == head : head.starts(with: line.bytes) else {
                        throw UsageError(
                            "\(path) is not the journal of this command, hub and filter (use --journal to select another file)"
                        )
                    }
                } else if line.isTerminated {
                    guard case .object(let object)? = try? JSONValue(parsing: line.bytes) else {
                        throw UsageError(
                            "invalid record at line \(line.number) of the journal \(path): remove it to start over")
                    }
                    state = object
                }
                if line.isTerminated { byteCount = line.endOffset }
            }
            initial = state
            try file.truncate(to: byteCount)
            if byteCount == 0 { try file.append(head + [UInt8(ascii: "\n")]) }
        } catch let error as InputFile.ReadError {
            throw FileReadError(what: "the journal \(path)", reason: error)
        } catch let error as AppendedFile.WriteError {
            throw FileWriteError(what: "the journal \(path)", reason: error)
        }
    }

    /// Whether a record is due.
    var isDue: Bool { lastRecorded.map { ContinuousClock.now - $0 >= Self.interval } ?? true }

    /// Records a state, and flushes it to disk.
    ///
    /// - Parameter isStart: Whether the state is that before the first page, after which the next record is due.
    func record(_ state: JSONOutput, isStart: Bool = false) throws(FileWriteError) {
        do {
            try file.append(state.bytes + [UInt8(ascii: "\n")])
            try file.synchronize()
        } catch {
            throw FileWriteError(what: "the journal \(path)", reason: error)
        }
        if !isStart { lastRecorded = ContinuousClock.now }
    }

    /// Removes the file of a complete command.
    func remove() { AppendedFile.remove(path) }
}

extension Checkpoint {
    /// An error for a listing that the hub no longer continues, because its continuation token has expired.
    struct ResumeError: Error, CustomStringConvertible {
        let error: HubFailure
        /// The files to remove to start over.
        let files: String

        /// Creates the error, unless the first page of a resumed listing was read or failed for another reason.
        init?(_ error: HubError, isFirstPage: Bool, files: String) {
            guard isFirstPage, error.code == .badRequest else { return nil }
            (self.error, self.files) = (HubFailure(error), files)
        }

        var description: String { "cannot resume: \(error) (remove \(files) to start over)" }
    }
}

extension NotificationHub {
    /// The hub's URL in lower case, which identifies it in journals and messages.
    var address: String { "\(endpoint)/\(name)".lowercased() }
}

extension JSONObject {
    /// The continuation token of a state; `nil` for the start of the listing.
    var continuationToken: Registration.ContinuationToken? {
        self["token"]?.string.flatMap { try? Registration.ContinuationToken(validating: $0) }
    }
}
