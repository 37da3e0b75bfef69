import HubCommandLine
import NotificationHubs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The `nhub` command-line tool.
@main
enum NHub {
    static func main() async {
        Console.reserveStandardDescriptors()
        // A closed output pipe must not end the process before its cleanup.
        signal(SIGPIPE, SIG_IGN)
        Environment.bypassProxies(for: ["127.0.0.1", "localhost"])
        let status = await run(Array(CommandLine.arguments.dropFirst()))
        exit(status.rawValue)
    }

    static let subcommands: [any Subcommand.Type] = [
        DemoCommand.self, EmulatorCommand.self, WatchCommand.self, CheckCommand.self, InstallationCommand.self,
        ImportCommand.self,
        SendCommand.self,
        ScheduleCommand.self, CancelCommand.self, OutcomeCommand.self,
    ]

    /// Runs the subcommand that the arguments name, and reports its error.
    static func run(_ words: [String]) async -> ExitStatus {
        do {
            var arguments = Arguments(words)
            switch arguments.subcommand() {
            case nil:
                return try withoutSubcommand(arguments)
            case "help":
                let topic = arguments.subcommand()
                if !arguments.flag("--help", "-h") { try arguments.finish() }
                return try show(try help(on: topic))
            case let name?:
                let subcommand = try subcommand(name)
                if arguments.flag("--help", "-h") { return try show(subcommand.help) }
                return try await subcommand.run(arguments)
            }
        } catch let error as Console.WriteError where error.isClosedPipe {
            return ExitStatus(signal: SIGPIPE)
        } catch {
            let (status, code) = outcome(of: error)
            var arguments = Arguments(words)
            Console.failure(error, of: "nhub", code: code, asJSON: arguments.flag("--json"))
            return status
        }
    }

    /// Returns the exit status and the name of an error.
    private static func outcome(of error: any Error) -> (ExitStatus, code: String) {
        switch error {
        case is UsageError: (.usage, "usage")
        case is InputError, is FileError, is FileReadError, is InputFile.ReadError, is Console.WriteError:
            (.unreadable, "unreadable")
        case is InstallationReading.UnknownExistenceError: (.unreadable, "unknown")
        case let error as HubError: (.failure, error.code.rawValue)
        default: (.failure, "failure")
        }
    }

    private static func withoutSubcommand(_ arguments: consuming Arguments) throws -> ExitStatus {
        if arguments.flag("--help", "-h") { return try show(overview) }
        if arguments.flag("--version") { return try show("nhub 0.1.0") }
        try arguments.finish()
        throw UsageError("missing subcommand (see nhub --help)")
    }

    private static func show(_ text: String) throws(Console.WriteError) -> ExitStatus {
        try Console.result(text: text)
        return .success
    }
}
