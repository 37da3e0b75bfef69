import HubCommandLine

/// `nhub emulator`: serves emulated hubs until a signal stops it, or while a command runs.
enum EmulatorCommand: Subcommand {
    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        var arguments = arguments
        switch try arguments.action(of: command) {
        case nil:
            let options = try EmulatorOptions(&arguments, defaultPort: 8350)
            let asJSON = arguments.flag(.json)
            let logs = arguments.flag(.log)
            try arguments.finish()
            return try await serve(options, asJSON: asJSON, logs: logs)
        case "exec":
            let options = try EmulatorOptions(&arguments, defaultPort: 0)
            let operands = try arguments.operands()
            // Swift repairs invalid UTF-8 in argument strings, so the command gets the raw bytes.
            let words = Environment.argumentsAfterDashes
            let command = operands.dropLast(words.count).map { Array($0.utf8) } + words
            if command.isEmpty { throw UsageError("missing command (see nhub emulator --help)") }
            return try await execute(command, options)
        case "health":
            let operands = try arguments.operands()
            if operands.count > 1 { throw UsageError("unexpected argument: \(Arguments.quoted(operands[1]))") }
            try await checkHealth(of: operands.first)
            return .success
        case "ca":
            try arguments.finish()
            try Console.result([try LocalAuthority().certificatePath])
            return .success
        default:
            let options = try EmulatorOptions(&arguments, defaultPort: 8350)
            try arguments.finish()
            try Console.result(try EmulatorEnvironment(options).lines)
            return .success
        }
    }

    private static func serve(
        _ options: EmulatorOptions, asJSON: Bool, logs: Bool
    ) async throws -> ExitStatus {
        // Signal handlers are installed first, so that a stop right after the start still writes the exports.
        _ = try await Interrupt.cancelling {
            let log = { @Sendable (event: EmulatorEvent) in Console.output(event.text(asJSON: asJSON)) }
            let session = try EmulatorSession(options, log: logs ? log : nil)
            try EmulatorReport(session).write(asJSON: asJSON)
            // Cancellation is the normal way to stop.
            do { try await session.runPeriodicWork() } catch is CancellationError {}
            try session.stop()
        }
        return .success
    }

    private static func execute(_ command: [[UInt8]], _ options: EmulatorOptions) async throws -> ExitStatus {
        let session = try EmulatorSession(options)
        let status = try await EmulatorExec(session).run(command)
        try session.stop()
        return status
    }

    /// Checks that an emulator runs at a URL; by default, at the default port with or without TLS.
    private static func checkHealth(of url: String?) async throws {
        do {
            _ = try await ControlClient(url: url ?? "http://127.0.0.1:8350/", caFile: nil).get("health")
        } catch let failure as ControlClient.Failure where url == nil {
            do { try await checkHealth(of: "https://127.0.0.1:8350/") } catch { throw failure }
        }
    }
}
