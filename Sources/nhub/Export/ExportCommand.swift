import HubCommandLine
import NotificationHubs

/// `nhub export`: writes installations and registrations to a file.
enum ExportCommand: Subcommand {
    static let command = Command(
        "export", summary: "Write installations and registrations to a file, and resume an interrupted export.",
        usage: ["(FILE | -) [FILTERS] [--journal FILE] [--concurrency N] [--json]"],
        discussion: [
            """
            The file contains one JSON object per line: installations, and registrations that do not belong to one. nhub import \
            reads it. It contains the devices' handles, and only its owner can read it. Devices that are unreadable \
            or of an unknown kind are omitted and reported on standard error.
            """,
            """
            To resume an interrupted export, run the same command again. It continues after the last page that the journal \
            records. The journal is removed when the export is complete. Devices that are registered during the export can be \
            missing. An export to standard output cannot be resumed. Requires the Manage right.
            """,
        ],
        operand: .file,
        groups: [
            .deviceFilter,
            .init([
                .init(
                    "--journal", value: "FILE", help: "The journal, which records the position. Default: FILE.journal."),
                .concurrency,
                .init(
                    "--json",
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
        let journal = try arguments.value(of: "--journal")
        let concurrency = try arguments.concurrency()
        let asJSON = arguments.flag("--json")
        let path = try arguments.operands(named: "file")[0]
        guard path != "-" || journal == nil else {
            throw UsageError("--journal requires a file, since an export to standard output cannot be resumed")
        }
        guard path != journal else { throw UsageError("the file and --journal must be different files") }
        let hub = try connection.settings().bulkHub(concurrency: concurrency)
        let run = ExportRun(hub: hub, filter: filter, concurrency: concurrency, asJSON: asJSON)
        return try await Interrupt.exitStatus {
            guard path != "-" else { return try await run.export(to: nil) }
            return try await run.export(
                to: try ExportFile(path: path, journal: journal ?? path + ".journal", of: hub, filter))
        }
    }
}

/// A running export.
struct ExportRun: Sendable {
    let hub: NotificationHub
    let filter: DeviceFilter
    let concurrency: Int
    let asJSON: Bool

    /// Writes the selected devices to a file, or to standard output.
    func export(to file: ExportFile?) async throws -> ExitStatus {
        let start = ContinuousClock.now
        var counts = file?.initial ?? ExportFile.Counts()
        var progress = ProgressLine(total: nil, finished: counts.total, unit: "devices")
        defer { progress.end() }
        var isFirstPage = file?.continuationToken != nil
        do {
            let pages = filter.pages(
                of: hub, concurrency: concurrency, resumingAt: file?.continuationToken,
                excluding: file?.exportedIDs ?? [])
            for try await page in pages {
                isFirstPage = false
                counts.omissions += page.reportOmissions()
                counts.installations += page.installations.count
                counts.registrations += page.otherRegistrations.count
                let records = page.records
                if let file {
                    try file.append(records.flatMap { $0.json + [0x0a] }, counts, page.continuationToken)
                } else {
                    try Console.output(bytes: records.flatMap { $0.printableJSON + [0x0a] })
                }
                progress.show(finished: counts.total, now: ContinuousClock.now - start)
            }
        } catch let error as HubError {
            throw Checkpoint.ResumeError(
                error, isFirstPage: isFirstPage, files: "the file and \(file?.journalPath ?? "")")
                ?? error
        }
        try file?.complete()
        let status = counts.omissions == 0 ? ExitStatus.success : .failure
        guard file != nil else { return status }
        progress.end()
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
