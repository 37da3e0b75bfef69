import HubCommandLine

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `sas`: a command-line tool for shared access signatures.
@main
enum SAS {
    static let version = "0.1.0"

    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// Runs a subcommand and reports its error.
    static func run(_ words: [String]) -> ExitStatus {
        do {
            var arguments = Arguments(words)
            guard let name = arguments.subcommand() else { return try withoutSubcommand(&arguments) }
            if name == "help" {
                _ = arguments.flag("--help", "-h")
                let topic = arguments.subcommand()
                try arguments.finish()
                try Console.result(text: try Help.text(on: topic))
                return .success
            }
            let command = try Help.command(name)
            if arguments.flag("--help", "-h") {
                try Console.result(text: command.help(of: "sas"))
                return .success
            }
            try arguments.check(against: command)
            return switch name {
            case "sign": try SignCommand.run(arguments)
            case "verify": try VerifyCommand.run(arguments)
            case "inspect": try InspectCommand.run(arguments)
            default: try AuditCommand.run(arguments)
            }
        } catch let error as Console.WriteError where error.isClosedPipe {
            return ExitStatus(signal: SIGPIPE)
        } catch {
            let status = error is UsageError ? ExitStatus.usage : .unreadable
            let code = status == .usage ? "usage" : "unreadable"
            var arguments = Arguments(words)
            Console.failure(error, of: "sas", code: code, asJSON: arguments.flag("--json"))
            return status
        }
    }

    /// Handles `--help` and `--version`.
    private static func withoutSubcommand(_ arguments: inout Arguments) throws -> ExitStatus {
        let wantsHelp = arguments.flag("--help", "-h")
        let wantsVersion = arguments.flag("--version", "-V")
        try arguments.finish()
        if wantsHelp {
            try Console.result(text: Help.overview)
        } else if wantsVersion {
            try Console.result(["sas \(version)"])
        } else {
            throw UsageError("missing subcommand (see sas --help)")
        }
        return .success
    }
}
