import HubCommandLine

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `hub-benchmark`: measures the client under load against an emulated hub in the same process.
@main
enum HubBenchmark {
    static func main() async {
        exit(await run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// Runs the benchmark and reports errors on standard error.
    static func run(_ commandLine: [String]) async -> ExitStatus {
        do {
            var arguments = Arguments(commandLine)
            if arguments.showsHelp(Help.text, of: "hub-benchmark") { return .success }
            let options = try Options(arguments)
            let cases = Cases.all(overTLS: options.overTLS)
                .filter { options.filter.isEmpty || $0.name.contains(options.filter) }
            guard !cases.isEmpty else { throw UsageError("--filter: no case name contains \"\(options.filter)\"") }
            let report = Report(asJSON: options.asJSON)
            report.begin()
            for load in cases { report.add(try await load.run(options)) }
            return .success
        } catch {
            Console.error("hub-benchmark: \(error)")
            return error is UsageError ? .usage : .failure
        }
    }
}
