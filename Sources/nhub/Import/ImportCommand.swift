import HubCommandLine
import HubLock
import NotificationHubs

/// `nhub import`: puts the installations of a file.
enum ImportCommand: Subcommand {
    static let name = "import"
    static let summary = "Put the installations of a file, one a line, and resume where that was broken off."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        do {
            return try await run(try ImportOptions(arguments))
        } catch let error as CannotRead {
            Console.error("nhub: \(error)")
            return .unreadable
        }
    }

    private static func run(_ options: ImportOptions) async throws -> ExitStatus {
        // Retries are the import's own: a pause that the hub asks for is for all calls, not for one.
        let hub = try HubSettings.fromEnvironment(caFile: options.caFile).hub(
            maximumConnections: options.concurrency, options: .init(retry: .never))
        let result = Locked<ImportSummary?>(nil)
        let signal = try await Interrupt.cancelling {
            let records = try ImportRecords(options, hub: "\(hub.endpoint)/\(hub.name)".lowercased())
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

extension ImportCommand {
    static let help = """
        OVERVIEW: Put the installations of a file, one a line, and resume where that was broken off.

        Each line is an installation as JSON, all of it; blank lines count for nothing. An installation that the hub has
        already is replaced. A line that cannot be put is written to a file of failures, with its number and the reason, and
        the import goes on; that file, mended, can be imported itself.

        USAGE: nhub import FILE [--concurrency N] [--failures FILE] [--journal FILE] [--json]
               nhub import - [--concurrency N] [--failures FILE] [--json] < FILE

        OPTIONS:
          --concurrency N   How many calls are under way at once, from 1 to 256; 16 without it.
          --failures FILE   Where failures go; FILE.failures.jsonl without it, stdin.failures.jsonl for standard input. It
                            is created with the first failure, and must not be there before.
          --journal FILE    Where the import notes what is finished; FILE.journal without it.
          --json            The last line as a JSON object: ending, put, failed, before, milliseconds, reason, failures.
          -h, --help        Show this help.

        The same command goes on where an import was broken off, by whatever: the journal knows the finished lines, and only
        what was under way is put again. It is removed when the import is complete. It is refused for another hub, for an
        input that has changed meanwhile, and while another import is at it. Standard input cannot be resumed.

        Of lines with the same id, none is sent before the one above it is finished. When the hub asks to wait, the whole
        import does, for as long as it takes. When the hub is in trouble, lines are tried again, and a line fails after 4
        attempts if others fare better meanwhile. The import stops when the token or the hub's name is wrong, when the hub
        is silent from the beginning, or when it answers nobody for 30 seconds.

        On a terminal, standard error shows how far the import is, how fast, and how long it will take.

        \(Help.connection)

        EXIT STATUS:
          0  all lines were put
          1  some lines failed, or the import was stopped
          2  the command line or a setting is wrong; nothing was done
          3  the input cannot be read, or has changed meanwhile; or the result cannot be written
          128 + N  broken off by signal N (130 by an interrupt)
        """
}

/// What the command line of `nhub import` asks for.
struct ImportOptions: Sendable {
    let input: ImportInput
    /// How many calls are under way at once, at the most.
    let concurrency: Int
    let failuresPath: String
    /// Where the journal is, unless standard input is imported.
    let journalPath: String
    let asJSON: Bool
    let caFile: String?

    /// Reads the command line, and looks at the input.
    init(_ arguments: consuming Arguments) throws {
        // Options with values first: they do not take a flag for their value, but might take what stands behind it.
        concurrency =
            try arguments.value(of: "--concurrency").map { text throws(UsageError) in
                guard let number = Int(text), (1...256).contains(number), !text.hasPrefix("+") else {
                    throw UsageError("--concurrency wants a number from 1 to 256")
                }
                return number
            } ?? 16
        caFile = try arguments.caFile()
        let failures = try arguments.value(of: "--failures")
        let journal = try arguments.value(of: "--journal")
        asJSON = arguments.flag("--json")
        let operands = try arguments.operands()
        guard let path = operands.first, !path.isEmpty else {
            throw UsageError("the file to import is missing; see nhub import --help")
        }
        if operands.count > 1 { throw UsageError("one file is imported at a time") }
        guard path != "-" || journal == nil else {
            throw UsageError("standard input cannot be read again, and has no journal")
        }
        failuresPath = failures ?? (path == "-" ? "stdin.failures.jsonl" : path + ".failures.jsonl")
        journalPath = journal ?? path + ".journal"
        let paths = [path, failuresPath, journalPath]
        guard Set(paths.map { Array($0.utf8) }).count == paths.count, failuresPath != "-", journal != "-" else {
            throw UsageError("the input, --failures and --journal are three files")
        }
        input = try ImportInput(path: path)
    }
}
