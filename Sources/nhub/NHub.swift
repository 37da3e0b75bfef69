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
        CoreDump.disable()
        Console.reserveStandardDescriptors()
        // A closed output pipe must not end the process before its cleanup.
        signal(SIGPIPE, SIG_IGN)
        let status = await run(Array(CommandLine.arguments.dropFirst()))
        exit(status.rawValue)
    }

    private static let subcommands: [any Subcommand.Type] = [
        DemoCommand.self, EmulatorCommand.self, WatchCommand.self, CheckCommand.self, VerifyCommand.self,
        InstallationCommand.self,
        ListCommand.self, ExportCommand.self, ImportCommand.self, DeleteCommand.self, MigrateCommand.self,
        DedupeCommand.self, CopyCommand.self, JobCommand.self, HubCommand.self, SendCommand.self, ScheduleCommand.self,
        CancelCommand.self,
        OutcomeCommand.self, WhyCommand.self, ProfilesCommand.self,
    ]

    private static let tool = Tool(
        "nhub", overview: "Work with Azure Notification Hubs from the command line.",
        discussion: ["With --json, a failure is a JSON object with code and message on standard output."],
        commands: subcommands.map { $0.command },
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "success"),
                    (
                        .failure,
                        """
                        failure, such as a hub that rejects the request or cannot be reached, a failed line, or a missing \
                        installation
                        """
                    ), (.usage, "invalid command line or setting, or the port is in use; nothing was done"),
                    (.unreadable, "the input cannot be read or is invalid, or the output cannot be written"),
                ], signal: ""),
        ])

    /// Runs the subcommand that the arguments name, and reports its error.
    static func run(_ words: [String]) async -> ExitStatus {
        do {
            guard let (command, arguments) = try tool.parse(words),
                let subcommand = subcommands.first(where: { $0.command.name == command.name })
            else { return .success }
            return try await subcommand.run(arguments)
        } catch {
            let error = (error as? HubError).map { HubFailure($0) } ?? error
            let (status, code) = outcome(of: error)
            return tool.fail(words, error, status, code: code)
        }
    }

    /// Returns the exit status and the name of an error.
    private static func outcome(of error: any Error) -> (ExitStatus, code: String) {
        switch error {
        case is UsageError: (.usage, "usage")
        case is InputError, is FileError, is FileReadError, is FileWriteError, is InputFile.ReadError,
            is Console.WriteError:
            (.unreadable, "unreadable")
        case is InstallationReading.UnknownExistenceError: (.unreadable, "unknown")
        case let failure as HubFailure: (.failure, failure.error.code.rawValue)
        case let error as Message.DeliveryUnknown: (.failure, error.error.code.rawValue)
        default: (.failure, "failure")
        }
    }
}
