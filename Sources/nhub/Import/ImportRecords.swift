import NotificationHubs

/// What an import leaves on the disk while it runs: its journal, if it can be resumed, and its failures.
///
/// A failure stands on the disk before the journal says that the line is finished. Should the process end in between, the
/// next one finds the failure, and does not put the line again.
final class ImportRecords {
    let failures: FailureFile
    private let journal: ImportJournal?
    private var lastSynchronized = Duration.zero
    /// Whether the journal says that the file of failures is this import's.
    private var isOwnNoted: Bool
    /// The lines whose failures are written, but that the journal does not have yet.
    private var failedLines: [Int] = []

    /// How often all is made to survive the end of the machine.
    private static let synchronizationInterval = Duration.seconds(1)

    /// - Throws: `UsageError` if the files are those of another import, or of one that runs.
    init(_ options: ImportOptions, hub: String) throws {
        let input = options.input
        journal =
            try input.content.map { content in
                try ImportJournal(path: options.journalPath, of: JournalText.Subject(content: content, hub: hub))
            }
        let before = journal?.before ?? JournalText()
        isOwnNoted = before.failuresPath.map { $0.utf8.elementsEqual(options.failuresPath.utf8) } ?? false
        do {
            failures = try FailureFile(path: options.failuresPath, isOwn: isOwnNoted, finished: before.finished)
        } catch {
            // What has not begun has no journal.
            if before.byteCount == 0 { journal?.remove() }
            throw error
        }
        failedLines = failures.knownLines.sorted()
        try synchronize()
    }

    /// The lines that were finished before.
    var finished: FinishedLines {
        var finished = journal?.before.finished ?? FinishedLines()
        for line in failures.knownLines { finished.insert(line, .failed) }
        return finished
    }

    /// Whether another import can continue this one.
    var canBeResumed: Bool { journal != nil }

    /// A line is finished, and has not failed.
    func add(_ line: Int, _ ending: FinishedLines.Ending, now: Duration) throws {
        try journal?.add(.init(line, ending))
        try synchronizeIfDue(now)
    }

    /// A line has failed.
    func addFailure(_ line: Int, _ reason: String, _ content: ImportLine.Content, now: Duration) throws {
        // It may have been taken away since the journal noted it.
        try failures.create()
        if !isOwnNoted {
            try journal?.add(.failures(path: failures.path))
            try journal?.synchronize()
            isOwnNoted = true
        }
        try failures.add(line, reason, content)
        failedLines.append(line)
        try synchronizeIfDue(now)
    }

    private func synchronizeIfDue(_ now: Duration) throws {
        guard now - lastSynchronized >= Self.synchronizationInterval else { return }
        lastSynchronized = now
        try synchronize()
    }

    /// Has all survive the end of the machine, too.
    func synchronize() throws {
        try failures.synchronize()
        for line in failedLines { try journal?.add(.init(line, .failed)) }
        failedLines.removeAll()
        try journal?.synchronize()
    }

    /// Removes the journal of a complete import.
    func complete() {
        journal?.remove()
    }
}

/// A line of an import: the installation in it, or why there is none.
///
/// A line of a file of failures is understood as well, once it is mended: what counts in it is its `installation`, or its
/// `text`.
struct ImportLine: Sendable {
    /// The longest line, in bytes, that is read.
    static let longest = 1 << 18

    /// Which line it is, from 1 on.
    let number: Int
    /// What is to be put, or why it cannot be.
    let installation: Result<Installation, Unusable>
    /// The line, without what a file of failures has put around it.
    let content: Content

    /// What a file of failures repeats of a line.
    enum Content: Hashable, Sendable {
        case json([UInt8])
        case text(String)
    }

    /// Why a line cannot be put.
    struct Unusable: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// - Returns: `nil` for a blank line.
    init?(_ line: LineReader.Line) {
        var bytes = line.bytes[...]
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        if line.number == 1, bytes.starts(with: mark) { bytes = bytes.dropFirst(mark.count) }
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { return nil }
        number = line.number
        if line.isCut {
            content = .text(String(decoding: bytes.prefix(1000), as: UTF8.self))
            installation = .failure(Unusable(description: "the line is longer than \(Self.longest) bytes"))
        } else {
            (installation, content) = Self.read(bytes)
        }
    }

    private static func read(_ bytes: ArraySlice<UInt8>) -> (Result<Installation, Unusable>, Content) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            return (
                .failure(Unusable(description: "no JSON: \(error)")), .text(String(decoding: bytes, as: UTF8.self))
            )
        }
        if case .object(let object) = json, object["installationId"] == nil, object["error"] != nil {
            switch (object["installation"], object["text"]) {
            case (let inner?, _): return read(inner.bytes[...])
            case (_, .string(let text)?): return read(Array(text.utf8)[...])
            default: break
            }
        }
        do {
            return (.success(try Installation(json: bytes)), .json(Array(bytes)))
        } catch {
            return (.failure(Unusable(description: "no installation: \(error)")), .json(Array(bytes)))
        }
    }

    /// Equal for lines that must not overtake each other. Whether ids that differ in case alone are one to the service is not
    /// known.
    static func key(_ id: Installation.ID) -> String {
        id.rawValue.lowercased()
    }
}
