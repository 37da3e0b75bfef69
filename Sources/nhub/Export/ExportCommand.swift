import HubCommandLine
import NotificationHubs

/// `nhub export`: writes installations and registrations to a file.
enum ExportCommand: Subcommand {
    static let command = Command(
        "export", summary: "Write installations and registrations to a file, and resume an interrupted export.",
        usage: ["(FILE | -) [FILTERS] [--format NAME] [--template NAME] [--journal FILE] [--concurrency N] [--json]"],
        discussion: [
            """
            By default, the file contains one JSON object per line: installations, and registrations that do not belong to one. \
            nhub import reads it. A device that the format cannot represent completely is omitted, with a warning. The file contains \
            the devices' handles, and only its owner can read it. Devices that are unreadable or of an unknown kind are omitted \
            and reported on standard error.
            """,
            """
            To resume an interrupted export, run the same command again. It continues after the last page that the journal \
            records. The journal is removed when the export is complete. Devices that are registered during the export can be \
            missing. An export to standard output cannot be resumed; in a CI job, it must be JSON. Requires the Manage right.
            """,
        ],
        operand: .file,
        groups: [
            .deviceFilter,
            .init([
                .format(
                    help: """
                        json (default); service: registrations as XML, as jobs read them; csv: installations as comma-separated \
                        values (RFC 4180), see nhub help import for the columns. The format service includes the registrations of \
                        installations, which nhub import rejects.
                        """),
                .init(
                    .template, value: "NAME",
                    help: "Add a column with the body of this template to a CSV file. Repeatable."),
                .init(
                    .journal, value: "FILE", help: "The journal, which records the position. Default: FILE.journal."),
                .concurrency,
                .init(
                    .json,
                    help: "Print the result as a JSON object: installations, registrations, omitted, milliseconds."),
            ]), .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "the export is complete"),
                    (
                        .failure,
                        """
                        some devices were omitted; or the hub rejected a request or could not be reached (run the same command to \
                        resume)
                        """
                    ),
                    (.usage, "invalid command line or setting, or the file exists; nothing was done"),
                    (.unreadable, "the file or the journal cannot be read or written"),
                ], signal: ""),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let connection = try arguments.connection()
        let filter = try DeviceFilter(&arguments)
        let content = try ExportContent(&arguments)
        let journal = try arguments.value(of: .journal)
        let concurrency = try arguments.concurrency()
        let asJSON = arguments.flag(.json)
        let path = try arguments.operands(named: "file")[0]
        guard path != "-" || journal == nil else {
            throw UsageError("--journal requires a file, since an export to standard output cannot be resumed")
        }
        guard path != "-" || content.format == .json || !Terminal.showsResults else {
            throw UsageError(
                "--format \(content.format): redirect the output to a file or pipe; a terminal can interpret control characters in it"
            )
        }
        guard path != "-" || content.format == .json || !Console.escapesResult else {
            throw UsageError(
                "--format \(content.format): name a file; in a CI job, standard output is escaped, because the runner executes commands in it"
            )
        }
        guard path != journal else { throw UsageError("the file and --journal must be different files") }
        let hub = try connection.settings().bulkHub(concurrency: concurrency)
        let run = ExportRun(hub: hub, filter: filter, content: content, concurrency: concurrency, asJSON: asJSON)
        return try await Interrupt.exitStatus {
            guard path != "-" else { return try await run.export(to: nil) }
            return try await run.export(
                to: try ExportFile(path: path, journal: journal ?? path + ".journal", of: hub, filter, content))
        }
    }
}

/// A running export.
struct ExportRun: Sendable {
    let hub: NotificationHub
    let filter: DeviceFilter
    let content: ExportContent
    let concurrency: Int
    let asJSON: Bool

    /// Writes the selected devices to a file, or to standard output.
    func export(to file: ExportFile?) async throws -> ExitStatus {
        let start = ContinuousClock.now
        var output = ExportOutput(content, file)
        defer { output.progress.end() }
        do {
            if content.format == .service {
                let pages = hub.registrations(filter.selection, resumingAt: file?.continuationToken).pages
                for try await page in pages {
                    let entries = page.entries.filter(filter.includes)
                    try output.write(
                        entries.map { .registration($0) }, omissionCount: page.reportOmissions(), page.continuationToken
                    )
                }
            } else {
                let pages = filter.pages(
                    of: hub, concurrency: concurrency, resumingAt: file?.continuationToken,
                    excluding: file?.exportedIDs ?? [])
                for try await page in pages {
                    try output.write(page.records, omissionCount: page.reportOmissions(), page.continuationToken)
                }
            }
        } catch let error as HubError {
            throw Checkpoint.ResumeError(
                error, isFirstPage: output.isAtStart && file?.continuationToken != nil,
                files: "the file and \(file?.journalPath ?? "")") ?? error
        }
        try output.finish()
        let counts = output.counts
        try file?.complete()
        let status = counts.omissions == 0 ? ExitStatus.success : .failure
        output.progress.end()
        output.warnings.report()
        guard file != nil else { return status }
        var fields = Fields()
        fields.addLine(
            "exported",
            "\(counts.installations) installations, \(counts.registrations) registrations"
                + (counts.omissions > 0 ? "; \(counts.omissions) omitted" : ""))
        fields.addMember {
            $0.add("installations", Int64(counts.installations))
            $0.add("registrations", Int64(counts.registrations))
            $0.add("omitted", Int64(counts.omissions))
            $0.add("milliseconds", Int64((ContinuousClock.now - start) / .milliseconds(1)))
        }
        try fields.write(asJSON: asJSON)
        return status
    }
}

/// The output of an export, page by page.
private struct ExportOutput {
    private let content: ExportContent
    private let file: ExportFile?
    /// The bytes before the first device, unless they are already written.
    private var head: [UInt8]
    private let start = ContinuousClock.now
    private(set) var counts: ExportFile.Counts
    /// Whether no page has been written yet.
    private(set) var isAtStart = true
    private(set) var warnings = WarningCounts()
    var progress: ProgressLine

    init(_ content: ExportContent, _ file: ExportFile?) {
        (self.content, self.file) = (content, file)
        head = file?.byteCount ?? 0 == 0 ? content.head : []
        counts = file?.initial ?? ExportFile.Counts()
        progress = ProgressLine(total: nil, finished: counts.total, unit: "devices")
    }

    /// Writes the head of a file without devices.
    mutating func finish() throws {
        try write(lines: [], nil)
    }

    /// Writes lines, the first ones after the head of the file.
    private mutating func write(lines: [UInt8], _ token: Registration.ContinuationToken?) throws {
        let bytes = head + lines
        head = []
        if let file { try file.append(bytes, counts, token) } else { try Console.output(bytes: bytes) }
    }

    /// Writes the devices of a page.
    mutating func write(
        _ records: [DeviceRecord], omissionCount: Int, _ token: Registration.ContinuationToken?
    ) throws {
        isAtStart = false
        counts.omissions += omissionCount
        var lines: [UInt8] = []
        for record in records {
            do {
                let line =
                    try file == nil && content.format == .json
                    ? record.printableJSON + [0x0a] : content.line(of: record)
                if case .registration(let entry) = record, let problem = entry.copyProblem {
                    throw DeviceTable.TableError(description: problem)
                }
                lines += line
                count(record)
            } catch {
                counts.omissions += 1
                warnings.add("omitted, not supported by --format \(content.format): \(error)")
            }
        }
        try write(lines: lines, token)
        progress.show(finished: counts.total, now: ContinuousClock.now - start)
    }

    private mutating func count(_ record: DeviceRecord) {
        switch record {
        case .installation: counts.installations += 1
        case .registration(let entry):
            counts.registrations += 1
            if entry.installationID != nil {
                warnings.add(
                    "nhub import rejects the registration of an installation: use --format json to export the installation"
                )
            }
        }
    }
}
