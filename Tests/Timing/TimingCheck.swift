import HubCommandLine

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `HubTiming`: searches the times of operations on secrets for leaks.
@main
enum TimingCheck {
    static func main() {
        exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }

    /// Runs the check and reports errors on standard error.
    private static func run(_ commandLine: [String]) -> ExitStatus {
        do {
            var arguments = Arguments(commandLine)
            if arguments.flag(.help, .briefHelp) {
                Console.output(text: Options.help)
                return .success
            }
            let options = try Options(arguments)
            let cases = Case.all.filter { options.filter.isEmpty || $0.name.contains(options.filter) }
            guard !cases.isEmpty else { throw UsageError("--filter: no case name contains \"\(options.filter)\"") }
            return try measure(cases, options)
        } catch {
            Console.error("timing: \(error)")
            return error is UsageError ? .usage : .failure
        }
    }

    /// Measures the cases and reports each.
    private static func measure(_ cases: [Case], _ options: Options) throws -> ExitStatus {
        let report = Report(options)
        report.begin()
        var status = ExitStatus.success
        for timingCase in cases {
            let subject = try timingCase.makeSubject()
            let measurement = try Measurement(of: subject, count: options.count)
            guard subject.failureCount == 0 else {
                throw CaseError("\(timingCase.name): \(subject.failureCount) wrong results")
            }
            report.add(timingCase, measurement)
            if measurement.isLeak != timingCase.isPlanted { status = .failure }
        }
        return status
    }
}
