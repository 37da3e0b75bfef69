import HubBenchmarkSystem
import HubCommandLine

/// A report with one JSON object per line, for each implementation of each case.
struct JSONLines: Report {
    func begin() {}

    func add(_ measurement: Measurement, comparedWith peer: Measurement?) {
        write(measurement)
        if let peer { write(peer) }
    }

    private func write(_ measurement: Measurement) {
        let workload = measurement.workload
        // No value contains a character that JSON must escape.
        let fields = [
            ("case", "\"\(workload.name)\""),
            ("implementation", "\"\(workload.implementation)\""),
            ("kernel", workload.kernel.map { "\"\($0)\"" } ?? "null"),
            ("ns", measurement.best.formatted(decimals: 2)),
            ("median", measurement.median.formatted(decimals: 2)),
            ("bytes", "\(workload.byteCount)"),
            ("allocations", measurement.allocations?.formattedCount ?? "null"),
        ]
        Console.output("{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}")
    }
}
