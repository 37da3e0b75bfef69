import NotificationHubs

/// The files of a running import: its journal, if it can be resumed, and its failure file.
///
/// A failure is flushed to disk before the journal records the line as finished. If the process ends in between, the next run
/// finds the failure and does not repeat the line.
final class ImportRecords {
    let failures: FailureFile
    private let journal: ImportJournal?
    private var lastSynchronized = Duration.zero
    /// Whether the journal records the path of the failure file.
    private var isFailureFileRecorded: Bool
    /// The failed lines that are not yet in the journal.
    private var pendingFailures: [Int] = []

    /// The time between two flushes to disk.
    private static let synchronizationInterval = Duration.seconds(1)

    /// Opens the files of an import.
    ///
    /// - Throws: `UsageError` if the files belong to another import, or to one that is running.
    init(_ options: ImportOptions, hub: String) throws {
        let input = options.input
        journal =
            try input.content.map { content in
                try ImportJournal(
                    path: options.journalPath,
                    of: JournalText.Subject(content: content, isCSV: input.format == .csv, hub: hub))
            }
        let initial = journal?.initial ?? JournalText()
        let isRecorded = journal?.recordsFailures(in: options.failuresPath) ?? false
        // After a complete import, the option starts another one.
        isFailureFileRecorded = isRecorded && !(initial.isComplete && options.overwritesFailures)
        do {
            failures = try FailureFile(
                path: options.failuresPath, of: input, isOwn: isFailureFileRecorded,
                mayOverwrite: options.overwritesFailures, finished: initial.finished)
        } catch {
            // Do not leave an empty journal behind.
            if journal?.isEmpty == true { journal?.remove() }
            throw error
        }
        try journal?.start()
        if initial.isComplete, !isFailureFileRecorded || !failures.containsFailures {
            // The user has moved the failures of the complete import.
            isFailureFileRecorded = false
            try journal?.restart()
        }
        pendingFailures = failures.unrecordedLines.sorted()
        try synchronize()
    }

    /// The lines that earlier runs finished.
    var finished: FinishedLines {
        var finished = journal?.initial.finished ?? FinishedLines()
        for line in failures.unrecordedLines { finished.insert(line, .failed) }
        return finished
    }

    /// Whether the import can be resumed.
    var canBeResumed: Bool { journal != nil }

    /// Records a finished line that has not failed.
    func add(_ line: Int, _ ending: FinishedLines.Ending, now: Duration) throws {
        try journal?.add(.init(line, ending))
        try synchronizeIfDue(now)
    }

    /// Records a failed line.
    func addFailure(_ line: Int, _ reason: String, _ content: ImportLine.Content, now: Duration) throws {
        // The user may have moved the file after the journal recorded it.
        try failures.create()
        if !isFailureFileRecorded {
            try journal?.addFailures(in: failures.path)
            try journal?.synchronize()
            isFailureFileRecorded = true
        }
        try failures.add(line, reason, content)
        pendingFailures.append(line)
        try synchronizeIfDue(now)
    }

    private func synchronizeIfDue(_ now: Duration) throws {
        guard now - lastSynchronized >= Self.synchronizationInterval else { return }
        lastSynchronized = now
        try synchronize()
    }

    /// Flushes all records to disk.
    func synchronize() throws {
        try failures.synchronize()
        for line in pendingFailures { try journal?.add(.init(line, .failed)) }
        pendingFailures.removeAll()
        try journal?.synchronize()
    }

    /// Ends a complete import: records this in the journal if lines failed, and otherwise removes the journal.
    func complete() throws {
        guard let journal else { return }
        guard failures.containsFailures else { return journal.remove() }
        if !journal.initial.isComplete { try journal.add(.complete) }
        try journal.synchronize()
    }
}

/// A line of an import.
///
/// The line contains an installation or a registration as JSON, a registration as XML, a record of a CSV file, or an object of a failure
/// file whose `installation`, `registration` or `text` has been corrected.
struct ImportLine: Sendable {
    /// The maximum length of a line, in bytes.
    static let maximumLength = LineReader.maximumLineLength

    /// The line number, starting at 1.
    let number: Int
    /// The device, or the error that makes the line invalid.
    let device: Result<Device, InvalidLineError>
    /// The line without the members that a failure file adds.
    let content: Content
    /// The place in a CSV file, whose records can have several lines, such as `line 7`.
    private let place: String?
    /// Whether a CSV file ends inside a quoted field of the record.
    let isOpen: Bool

    /// Returns the error of the line for the failure file.
    func failure(_ reason: String) -> String { place.map { "\($0): \(reason)" } ?? reason }

    /// A device to import.
    enum Device: Hashable, Sendable {
        case installation(Installation)
        /// A registration, and its ID in the hub that it was exported from.
        case registration(Registration, Registration.ID?)

        /// A key that is equal for devices that must be sent in order.
        ///
        /// IDs that differ only in case have the same key, since the service may treat them as equal.
        var key: String {
            switch self {
            case .installation(let installation): installation.id.rawValue.lowercased()
            case .registration(let registration, _): registration.pushChannel.stored.handle
            }
        }
    }

    /// The part of a line that a failure file repeats.
    enum Content: Hashable, Sendable {
        /// JSON, and the kind of device that it describes.
        case json([UInt8], kind: Kind)
        case text(String)
        /// A record of a CSV file without its line ending.
        case record([UInt8])
        /// The range of a record that is too long to keep in a CSV file, with its line ending.
        case longRecord(Range<Int>)
    }

    /// A kind of device, which is a member's name in failure files.
    enum Kind: String {
        case installation, registration
    }

    /// An error for a line without a valid device.
    struct InvalidLineError: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// Parses a line, or returns `nil` if it is blank or a comment of a failure file.
    ///
    /// - Parameters:
    ///   - table: The columns of a CSV file; `nil` for another file.
    ///   - place: The start of the errors of a CSV file, such as `line 7`.
    init?(_ line: LineReader.Line, table: DeviceTable? = nil, at place: String? = nil) {
        let bytes = line.bytes[...]
        if !line.isTruncated, bytes.allSatisfy(Self.isSpace) { return nil }
        if table != nil, FailureComment.number(in: line.bytes) != nil { return nil }
        (number, self.place, isOpen) = (line.number, place, line.isOpen)
        if let table {
            (device, content) = Self.read(line, table)
        } else if line.isTruncated {
            content = .text(String(decoding: bytes.prefix(1000), as: UTF8.self))
            device = .failure(InvalidLineError(description: "the line is longer than \(Self.maximumLength) bytes"))
        } else {
            (device, content) = Self.read(bytes)
        }
    }

    /// Reads a record of a CSV file.
    private static func read(
        _ line: LineReader.Line, _ table: DeviceTable
    ) -> (Result<Device, InvalidLineError>, Content) {
        let content = line.isTruncated ? Content.longRecord(line.range) : .record(line.bytes)
        do {
            guard !line.isTruncated else {
                throw InvalidLineError(description: "the record is longer than \(maximumLength) bytes")
            }
            let json = JSONValue.object(try table.json(of: try CSVRecord(line.bytes))).bytes
            do throws(HubValidationError) {
                return (.success(.installation(try Installation(json: json))), content)
            } catch {
                return (.failure(InvalidLineError(description: "\(table.place(of: error))\(error)")), content)
            }
        } catch {
            return (.failure(InvalidLineError(description: "\(error)\(hint(line))")), content)
        }
    }

    /// Returns the cause of an invalid record that has several lines.
    private static func hint(_ line: LineReader.Line) -> String {
        let problem = line.isTruncated ? ": a closing quotation mark is missing" : ""
        if line.isOpen { return " (the record extends to the end of the file\(problem))" }
        guard line.innerBreakCount > 0 else { return "" }
        return " (the record has \(line.innerBreakCount + 1) lines: a closing quotation mark may be missing)"
    }

    /// Reads the XML of a registration, as jobs of the service write it.
    private static func read(xml bytes: [UInt8]) -> (Result<Device, InvalidLineError>, Content) {
        let content = Content.text(String(decoding: bytes, as: UTF8.self))
        do {
            let description = try Registration.Description(line: bytes)
            return (device(description.registration, description.id), content)
        } catch {
            return (.failure(InvalidLineError(description: "invalid registration: \(error)")), content)
        }
    }

    /// Returns a registration, unless an installation has it.
    private static func device(
        _ registration: Registration, _ id: Registration.ID?
    ) -> Result<Device, InvalidLineError> {
        guard let owner = registration.installationID else { return .success(.registration(registration, id)) }
        return .failure(
            InvalidLineError(
                description:
                    "cannot import a registration of the installation \(owner): export the installation with nhub export"
            ))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a }

    private static func read(_ bytes: ArraySlice<UInt8>) -> (Result<Device, InvalidLineError>, Content) {
        if bytes.first(where: { !isSpace($0) }) == UInt8(ascii: "<") { return read(xml: Array(bytes)) }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            return (
                .failure(InvalidLineError(description: "invalid JSON: \(error)")),
                .text(String(decoding: bytes, as: UTF8.self))
            )
        }
        var kind = Kind.installation
        if case .object(let object) = json, object["installationId"] == nil {
            switch (object["installation"] ?? object["registration"], object["text"]) {
            case (let inner?, _) where object["error"] != nil: return read(inner.bytes[...])
            case (_, .string(let text)?) where object["error"] != nil: return read(Array(text.utf8)[...])
            default: if object["registrationId"] != nil { kind = .registration }
            }
        }
        let device: Result<Device, InvalidLineError>
        do throws(HubValidationError) {
            switch kind {
            case .installation: device = .success(.installation(try Installation(json: bytes)))
            case .registration:
                let id = json["registrationId"]?.string.flatMap { try? Registration.ID(validating: $0) }
                device = Self.device(try Registration(json: json), id)
            }
        } catch {
            device = .failure(InvalidLineError(description: "invalid \(kind): \(error)"))
        }
        // An element of an array can have several lines.
        let line = bytes.contains(UInt8(ascii: "\n")) ? json.bytes : Array(bytes)
        return (device, .json(line, kind: kind))
    }
}
