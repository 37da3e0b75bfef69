import HubCommandLine
import HubLock
import NotificationHubs

/// `nhub import`: imports installations and registrations from a file.
enum ImportCommand: Subcommand {
    static let command = Command(
        "import", summary: "Import installations and registrations from a file, and resume an interrupted import.",
        usage: [
            "FILE [--format NAME] [--concurrency N] [--failures FILE] [--overwrite-failures] [--journal FILE] [--json]",
            "- [--format NAME] [--concurrency N] [--failures FILE] [--overwrite-failures] [--json] < FILE",
        ],
        discussion: [
            """
            Each line contains one installation as JSON, or one registration as nhub export or a job of the service writes it. The \
            file can also be one JSON array, whose elements count as lines. Blank lines are ignored. Existing installations are replaced. A \
            registration is created with a new ID. If its device has an equal registration, nothing changes; if it has one with \
            the ID in the line, that one is replaced. After an interrupted import, registrations created just before \
            the interruption can exist twice; nhub dedupe finds them. Lines that fail are written to a failure file with their line \
            number and error, and the \
            import continues. After you correct the failure file, you can import it. For a CSV file, the failure file is also CSV. It \
            contains the header and the failed records, unchanged. A comment such as "# record 5, line 7: ERROR" precedes each \
            record. An import with --format csv ignores these comments.
            """,
            """
            To resume an interrupted import, run the same command again. The import skips the lines in the journal and \
            repeats only those that were in flight. When the import is complete, the journal is removed, unless lines failed: then \
            the same command reports the result again until you move the failure file. The command fails if \
            the journal is for another hub, if the input has changed, or if another import is using the journal. An import \
            from standard input cannot be resumed.
            """,
            """
            Lines with the same installation ID are sent in order, one at a time. When the hub throttles a request, the \
            whole import pauses. After a server or connection error, the line is retried. It fails after 4 attempts if other \
            lines succeed meanwhile. The import stops if the token or the hub's name is invalid, if the first attempts get no \
            response, or after 30 seconds of errors only.
            """,
            """
            Standard error shows the progress, the rate and the remaining time: continuously on a terminal, and otherwise every \
            ten seconds.
            """,
        ],
        operand: .file,
        groups: [
            .init([
                .format(
                    help: """
                        csv for a CSV file in UTF-8 (RFC 4180). Its first line names the columns: installationId, platform, pushChannel; \
                        optionally userId, tags (separated by semicolons), expirationTime, and template:NAME for the body of a \
                        template. An empty field is a missing value. Files in the formats json and service are recognized without this option.
                        """),
                .concurrency,
                .init(
                    .failures, value: "FILE",
                    help: """
                        The failure file. Default: FILE.failures.jsonl, or FILE.failures.csv with --format csv. For standard \
                        input, FILE is stdin. It is created at the first failure, and must not contain the \
                        failures of another import.
                        """),
                .init(.overwriteFailures, help: "Remove the failures of another import from the failure file."),
                .init(
                    .journal, value: "FILE",
                    help: "The journal, which records finished lines. Default: FILE.journal."),
                .init(
                    .json,
                    help: """
                        Print the result as a JSON object: ending, put, failed, before, milliseconds, reason, failures.
                        """),
            ]), .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "all lines were imported"),
                    (.failure, "some lines failed, or the import stopped"),
                    (.usage, "invalid command line or setting; nothing was done"),
                    (
                        .unreadable,
                        """
                        the input cannot be read or has changed; the failure file or the journal cannot be read or written; or \
                        the result cannot be written
                        """
                    ),
                ], signal: ""),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let options = try ImportOptions(arguments)
        // The import does its own retries, because a pause that the hub requests applies to all calls.
        let hub = try options.connection.settings().hub(
            maximumConnections: options.concurrency, options: .init(retry: .never))
        let result = Locked<ImportSummary?>(nil)
        let signal = try await Interrupt.cancelling {
            let records = try ImportRecords(options, hub: hub.address)
            var run = try ImportRun(hub, options, records)
            let summary = try await run.run()
            result.withLock { $0 = summary }
            if summary.ending == .interrupted { throw CancellationError() }
        }
        guard let summary = result.withLock({ $0 }) else { return .failure }
        if let problem = summary.problem { Console.error("nhub: \(problem)") }
        if options.asJSON {
            try Console.result(summary.json)
        } else {
            try Console.result(summary.lines)
        }
        return signal.map(ExitStatus.init(signal:)) ?? summary.status
    }
}

/// The options of `nhub import`.
struct ImportOptions: Sendable {
    let input: ImportInput
    /// The maximum number of concurrent requests.
    let concurrency: Int
    let failuresPath: String
    /// Whether to remove the failures of another import.
    let overwritesFailures: Bool
    /// The path of the journal. It is not used for standard input.
    let journalPath: String
    let asJSON: Bool
    /// The hub to connect to.
    let connection: ConnectionOptions

    /// Parses the command line, and reads the input's size, digest and line count.
    init(_ arguments: consuming Arguments) throws {
        concurrency = try arguments.concurrency()
        connection = try arguments.connection()
        let format = try DeviceFormat(&arguments)
        let failures = try arguments.value(of: .failures)
        let journal = try arguments.value(of: .journal)
        overwritesFailures = arguments.flag(.overwriteFailures)
        asJSON = arguments.flag(.json)
        let operands = try arguments.operands()
        guard let path = operands.first, !path.isEmpty else {
            throw UsageError("missing file: pass a file, or - for standard input")
        }
        if operands.count > 1 { throw UsageError("unexpected argument: only one file can be imported at a time") }
        guard path != "-" || journal == nil else {
            throw UsageError("--journal requires a file, since standard input cannot be read again")
        }
        failuresPath = failures ?? (path == "-" ? "stdin" : path) + ".failures." + (format == .csv ? "csv" : "jsonl")
        journalPath = journal ?? path + ".journal"
        let paths = [path, failuresPath, journalPath]
        let identities = [path == "-" ? "/dev/stdin" : path, failuresPath, journalPath].compactMap(FileIdentity.init)
        guard Set(paths.map { Array($0.utf8) }).count == paths.count, Set(identities).count == identities.count,
            failuresPath != "-", journal != "-"
        else {
            throw UsageError("the input, --failures and --journal must be different files")
        }
        input = try ImportInput(path: path, format: format)
    }
}
