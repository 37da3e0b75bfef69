import HubBenchmarkSystem
import HubCommandLine

/// A report with one JSON object per line, for each implementation of each case.
struct JSONLines: Report {
    func begin() {}

    func add(_ result: Measurement, comparedWith peer: Measurement?) {
        write(result)
        if let peer { write(peer) }
    }

    func end(_ results: [Measurement]) {}

    private func write(_ result: Measurement) {
        var line = JSONOutput()
        line.add("case", result.name)
        line.add("implementation", result.implementation)
        if let kernel = result.kernel { line.add("kernel", kernel) } else { line.add("kernel", literal: "null") }
        line.add("ns", literal: result.best.formatted(decimals: 2))
        line.add("median", literal: result.median?.formatted(decimals: 2) ?? "null")
        line.add("bytes", literal: result.byteCount.map { "\($0)" } ?? "null")
        line.add(result.origin)
        line.add("allocations", literal: result.allocations?.formattedCount ?? "null")
        Console.output(String(decoding: line.bytes, as: UTF8.self))
    }
}
