import HubCommandLine

/// `nhub emulator`: serves emulated hubs until it is told to stop, or as long as a command runs.
enum EmulatorCommand: Subcommand {
    static let name = "emulator"
    static let summary =
        "Serve a hub on this machine, for programs under test, with a page that shows what it delivers."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        var arguments = arguments
        switch arguments.subcommand() {
        case nil:
            let options = try EmulatorOptions(&arguments, defaultPort: 8350)
            let asJSON = arguments.flag("--json")
            try arguments.finish()
            return try await serve(options, asJSON: asJSON)
        case "exec":
            let options = try EmulatorOptions(&arguments, defaultPort: 0)
            let operands = try arguments.operands()
            // The texts of words that are none have lost something.
            let words = Environment.argumentsAfterDashes
            let command = operands.dropLast(words.count).map { Array($0.utf8) } + words
            if command.isEmpty { throw UsageError("the command to run is missing; see nhub emulator --help") }
            return try await execute(command, options)
        case let word?:
            throw UsageError("nhub emulator does not know \(Arguments.quoted(word)); see nhub emulator --help")
        }
    }

    private static func serve(_ options: EmulatorOptions, asJSON: Bool) async throws -> ExitStatus {
        // Signals first: who sees that it serves may stop it at once, and what is to be kept is written all the same.
        _ = try await Interrupt.cancelling {
            let session = try EmulatorSession(options)
            EmulatorReport(session).write(asJSON: asJSON)
            // To be told to stop is how it ends well.
            do { try await session.keepUp() } catch is CancellationError {}
            try session.end()
        }
        return .success
    }

    private static func execute(_ command: [[UInt8]], _ options: EmulatorOptions) async throws -> ExitStatus {
        let session = try EmulatorSession(options)
        let status = try await EmulatorExec(session).run(command)
        try session.end()
        return status
    }
}
