import HubCommandLine

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `nhub`: a notification hub from a shell.
@main
enum NHub {
    static func main() async {
        // Who reads the output may stop to; what has begun is brought to its end all the same.
        signal(SIGPIPE, SIG_IGN)
        Environment.exceptFromProxies(["127.0.0.1", "localhost"])
        let status = await run(Array(CommandLine.arguments.dropFirst()))
        exit(status.rawValue)
    }

    /// Runs the subcommand that the arguments name, and says what went wrong.
    static func run(_ words: [String]) async -> ExitStatus {
        do {
            var arguments = Arguments(words)
            switch arguments.subcommand() {
            case nil:
                return try withoutSubcommand(arguments)
            case "demo":
                return try await DemoCommand.run(arguments)
            case "help":
                let topic = arguments.subcommand()
                try arguments.finish()
                Console.output(text: try Help.text(on: topic))
                return .success
            case let name?:
                throw Help.unknown(name)
            }
        } catch {
            Console.error("nhub: \(error)")
            return error is UsageError ? .usage : .failure
        }
    }

    private static func withoutSubcommand(_ arguments: consuming Arguments) throws(UsageError) -> ExitStatus {
        if arguments.flag("--help", "-h") {
            Console.output(text: Help.overview)
        } else if arguments.flag("--version") {
            Console.output("nhub 0.1.0")
        } else {
            try arguments.finish()
            throw UsageError("a subcommand is missing; see nhub --help")
        }
        return .success
    }
}
