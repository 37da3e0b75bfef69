import HubCommandLine
import HubCrypto
import NotificationHubs

/// The file of an export and its journal.
///
/// The file is flushed to disk before the journal records its size and digest. A resumed export truncates the file to that size, but
/// never a file with other content.
final class ExportFile {
    /// The numbers of exported devices.
    struct Counts: Sendable {
        var installations = 0
        var registrations = 0
        /// The number of devices that could not be exported.
        var omissions = 0

        var total: Int { installations + registrations }
    }

    /// The numbers of devices that earlier runs exported.
    let initial: Counts
    /// The position at which the export continues; `nil` for the start.
    let continuationToken: Registration.ContinuationToken?
    /// The installations that earlier runs exported.
    let exportedIDs: Set<Installation.ID>

    private let path: String
    private let file: AppendedFile
    private let checkpoint: Checkpoint
    /// The size of the file.
    private(set) var byteCount: Int
    private var hash: SHA256

    /// Creates the file, or opens it to resume an export.
    ///
    /// - Throws: `UsageError` if the file exists, but not the journal of this export.
    init(path: String, journal: String, of hub: NotificationHub, _ filter: DeviceFilter, _ content: ExportContent)
        throws
    {
        self.path = path
        var subject = JSONOutput()
        subject.add("nhubExport", 1)
        subject.add("hub", hub.address)
        subject.add("filter", filter.text)
        if let text = content.text { subject.add("format", text) }
        let checkpoint = try Checkpoint(path: journal, of: subject)
        let state = checkpoint.initial ?? JSONObject()
        byteCount = state["bytes"]?.int ?? 0
        initial = Counts(
            installations: state["installations"]?.int ?? 0, registrations: state["registrations"]?.int ?? 0,
            omissions: state["omissions"]?.int ?? 0)
        continuationToken = state.continuationToken
        do {
            file = try Self.open(path, isNew: checkpoint.initial == nil, journal: journal)
            hash = try Self.hash(of: file, byteCount: byteCount)
            if checkpoint.initial == nil { try checkpoint.record(Self.state(Counts(), 0, hash, nil), isStart: true) }
            guard "\(hash.finalize())" == state["sha256"]?.string ?? "\(SHA256().finalize())",
                byteCount > 0 || file.isEmpty
            else {
                throw UsageError("\(path) does not match its journal: remove it and \(journal) to start over")
            }
            try file.makePrivate()
            try file.truncate(to: byteCount)
        } catch {
            if checkpoint.initial == nil { checkpoint.remove() }
            if let error = error as? AppendedFile.WriteError { throw FileWriteError(what: path, reason: error) }
            if let error = error as? InputFile.ReadError { throw FileReadError(what: path, reason: error) }
            throw error
        }
        exportedIDs = try Self.installationIDs(in: path, content)
        self.checkpoint = checkpoint
    }

    private static func open(_ path: String, isNew: Bool, journal: String) throws -> AppendedFile {
        do throws(AppendedFile.WriteError) {
            return try AppendedFile(path: path, isNew ? .create : .open)
        } catch {
            if !isNew, error.isMissing {
                throw UsageError("\(path) is missing: restore it, or remove \(journal) to start over")
            }
            guard isNew, error.isExisting else { throw error }
            // An empty file may be left over from a run that ended before its first record.
            let file = try AppendedFile(path: path, .open)
            guard file.isEmpty else { throw UsageError("\(path) exists: choose another file, or remove it") }
            return file
        }
    }

    /// Returns the hash of the first bytes of a file.
    private static func hash(of file: AppendedFile, byteCount: Int) throws -> SHA256 {
        let reader = try file.reader()
        var hash = SHA256()
        var rest = byteCount
        while rest > 0 {
            var bytes: [UInt8] = []
            guard try reader.read(upTo: min(rest, 1 << 16), into: &bytes) > 0 else { break }
            hash.update(data: bytes)
            rest -= bytes.count
        }
        return hash
    }

    /// The path of the journal.
    var journalPath: String { checkpoint.path }

    /// Appends lines, and records the position after them if a record is due.
    func append(_ lines: [UInt8], _ counts: Counts, _ token: Registration.ContinuationToken?) throws(FileWriteError) {
        do {
            try file.append(lines)
            byteCount += lines.count
            hash.update(data: lines)
            guard checkpoint.isDue, token != nil else { return }
            try file.synchronize()
        } catch {
            // Without the part of the lines that was written, the file still matches the journal.
            try? file.truncate(to: byteCount)
            throw FileWriteError(what: path, reason: error)
        }
        try checkpoint.record(Self.state(counts, byteCount, hash, token))
    }

    /// Flushes the complete file to disk, and removes the journal.
    func complete() throws(FileWriteError) {
        do {
            try file.synchronize()
        } catch {
            throw FileWriteError(what: path, reason: error)
        }
        checkpoint.remove()
    }

    private static func state(
        _ counts: Counts, _ byteCount: Int, _ hash: SHA256, _ token: Registration.ContinuationToken?
    ) -> JSONOutput {
        var state = JSONOutput()
        state.add("bytes", Int64(byteCount))
        state.add("sha256", "\(hash.finalize())")
        state.add("installations", Int64(counts.installations))
        state.add("registrations", Int64(counts.registrations))
        state.add("omissions", Int64(counts.omissions))
        if let token { state.add("token", token.rawValue) }
        return state
    }

    private static func installationIDs(in path: String, _ content: ExportContent) throws -> Set<Installation.ID> {
        var ids: Set<Installation.ID> = []
        do {
            let lines = LineReader(
                try InputFile(path: Array(path.utf8)), maximumLength: LineReader.maximumLineLength,
                format: content.format.lines)
            while let line = try lines.next() {
                if let id = try content.installationID(line.bytes).map(Installation.ID.init(validating:)) {
                    ids.insert(id)
                }
            }
        } catch let error as InputFile.ReadError {
            throw FileReadError(what: path, reason: error)
        }
        return ids
    }
}
