import HubCommandLine

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `signing-benchmark`: measures hashing, signing and verifying on this machine.
@main
enum SigningBenchmark {
    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// Runs the benchmark and reports errors on standard error.
    static func run(_ commandLine: [String]) -> ExitStatus {
        do {
            var arguments = Arguments(commandLine)
            if arguments.flag("--help", "-h") {
                Console.output(text: Help.text)
                return .success
            }
            if arguments.flag("--version") {
                Console.output("signing-benchmark 0.1.0")
                return .success
            }
            let options = try Options(arguments)
            if let threadCount = options.threadCount {
                try ThreadScaling(options).run(upTo: threadCount)
                return .success
            }
            return try measure(options)
        } catch {
            Console.error("signing-benchmark: \(error)")
            return error is UsageError ? .usage : .failure
        }
    }

    private static func measure(_ options: Options) throws -> ExitStatus {
        let workloads = try Workloads.all(kernels: options.kernels).filter { options.includes($0.name) }
        guard !workloads.isEmpty else {
            throw UsageError("--filter: no case name contains \"\(options.filter)\"")
        }
        let library = options.compares ? loadLibCrypto(at: options.libcryptoPath) : nil
        let stopwatch = Stopwatch(rounds: options.rounds)
        let report: any Report = options.asJSON ? JSONLines() : Table(comparedWith: library)
        report.begin()
        for workload in workloads {
            let peer = library.flatMap { OpenSSLWorkloads.counterpart(of: workload.name, $0) }
            // Interleaved, so that noise affects both.
            let results = try stopwatch.measure([workload] + [peer].compactMap(\.self))
            report.add(results[0], comparedWith: peer == nil ? nil : results[1])
        }
        // Fail if the requested comparison could not be made.
        return options.compares && library == nil ? .failure : .success
    }

    private static func loadLibCrypto(at path: String?) -> LibCrypto? {
        do {
            return try LibCrypto(path: path)
        } catch {
            Console.error("signing-benchmark: \(error); skipping the comparison")
            return nil
        }
    }
}
