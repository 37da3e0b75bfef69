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
            guard let (command, arguments) = try tool.parse(words) else { return .success }
            return switch command.name {
            case "sign": try SignCommand.run(arguments)
            case "verify": try VerifyCommand.run(arguments)
            case "inspect": try InspectCommand.run(arguments)
            default: try AuditCommand.run(arguments)
            }
        } catch let error as UsageError {
            return tool.fail(words, error, .usage, code: "usage")
        } catch {
            return tool.fail(words, error, .unreadable, code: "unreadable")
        }
    }
}
