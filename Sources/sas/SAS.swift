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
    static func main() {
        CoreDump.disable()
        Console.reserveStandardDescriptors()
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// Runs a subcommand and reports its error.
    static func run(_ words: [String]) -> ExitStatus {
        do {
            guard case (let command, var arguments)? = try tool.parse(words) else { return .success }
            guard let path = try arguments.value(of: .output), path != "-" else {
                return try run(command, arguments)
            }
            var output = try OutputFile(path: path, of: .output)
            let status = try run(command, arguments)
            try output.commit()
            return status
        } catch let error as UsageError {
            return tool.fail(words, error, .usage, code: "usage")
        } catch {
            return tool.fail(words, error, .unreadable, code: "unreadable")
        }
    }

    private static func run(_ command: Command, _ arguments: consuming Arguments) throws -> ExitStatus {
        switch command.name {
        case "sign": try SignCommand.run(arguments)
        case "verify": try VerifyCommand.run(arguments)
        case "inspect": try InspectCommand.run(arguments)
        default: try AuditCommand.run(arguments)
        }
    }
}
