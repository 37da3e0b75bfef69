import HubBenchmarkSystem
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
            if arguments.showsHelp(Help.text, of: "signing-benchmark") { return .success }
            let options = try Options(arguments)
            if let threadCount = options.threadCount {
                try ThreadScaling(options).run(upTo: threadCount)
                return .success
            }
            return try report(options)
        } catch {
            Console.error("signing-benchmark: \(error)")
            return error is UsageError ? .usage : .failure
        }
    }

    /// Measures or reads results, and writes all requested reports.
    private static func report(_ options: Options) throws -> ExitStatus {
        let files = options.files
        // Before the measurement, so that an invalid file is reported at once.
        let peers = try files.peers?.read() ?? []
        let baseline = try files.baseline?.read().filter { options.includes($0.name) }
        try files.checkChart()
        var status = ExitStatus.success
        let results: [Measurement]
        if let input = files.input {
            results = try input.read().filter { options.includes($0.name) }
            try repeatReport(of: results, peers, options)
        } else {
            let library = options.compares ? loadLibCrypto(at: options.libcryptoPath) : nil
            // Fail if the requested comparison could not be made.
            if options.compares, library == nil { status = .failure }
            results = try measure(options, library, peers)
        }
        if let baseline {
            let comparison = Comparison(results, with: baseline, limit: files.limit)
            write(comparison, options.format)
            if !comparison.passes { status = .failure }
        }
        try files.writeChart(results + peers)
        return status
    }

    private static func measure(
        _ options: Options, _ library: LibCrypto?, _ peers: [Measurement]
    ) throws -> [Measurement] {
        let workloads = try Workloads.all(kernels: options.kernels).filter { options.includes($0.name) }
        guard !workloads.isEmpty else { throw noCase(options) }
        let header = Machine.header + (library.map { ["Versus   \($0.version)"] } ?? [])
        let report = makeReport(options.format, header: header, showsOpenSSL: library != nil)
        let stopwatch = Stopwatch(rounds: options.rounds, laps: options.laps)
        var results: [Measurement] = []
        report.begin()
        for workload in workloads {
            let peer = library.flatMap { OpenSSLWorkloads.counterpart(of: workload.name, $0) }
            // Interleaved, so that noise affects both.
            let measured = try stopwatch.measure([workload] + [peer].compactMap(\.self))
            report.add(measured[0], comparedWith: peer == nil ? nil : measured[1])
            results += measured
        }
        report.end(results + peers)
        return results
    }

    /// Writes the report of results that were measured earlier.
    private static func repeatReport(
        of results: [Measurement], _ peers: [Measurement], _ options: Options
    ) throws {
        guard let first = results.first else { throw noCase(options) }
        let compared = results.filter { $0.implementation.hasPrefix("OpenSSL ") }
        let header = ["Machine  \(first.origin.machine ?? "unknown")", "Commit   \(first.origin.commit ?? "unknown")"]
        let report = makeReport(options.format, header: header, showsOpenSSL: !compared.isEmpty)
        report.begin()
        for result in results where result.isOfThisPackage {
            report.add(result, comparedWith: compared.first { $0.name == result.name })
        }
        report.end(results + peers)
    }

    private static func makeReport(
        _ format: Options.Format, header: [String], showsOpenSSL: Bool
    ) -> any Report {
        switch format {
        case .table: Table(header: header, showsOpenSSL: showsOpenSSL)
        case .json: JSONLines()
        case .markdown: Markdown()
        }
    }

    private static func write(_ comparison: Comparison, _ format: Options.Format) {
        if let warning = comparison.warning { Console.error("signing-benchmark: \(warning)") }
        switch format {
        case .table: Console.output(text: "\n\(comparison.table)\n\n\(comparison.verdict)")
        case .markdown: Console.output(text: "\n\(comparison.markdown)\n\n\(comparison.verdict)")
        case .json:
            let lines = comparison.table.split(separator: "\n").map(String.init) + [comparison.verdict]
            lines.forEach { Console.error($0) }
        }
    }

    private static func noCase(_ options: Options) -> UsageError {
        UsageError("--filter: no case name contains \"\(options.filter)\"")
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
