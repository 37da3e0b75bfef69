import HubBenchmarkSystem
import HubCommandLine

/// A report that writes each measurement as a table row or as JSON when it is complete.
struct Report {
    let asJSON: Bool

    /// Writes the table header.
    func begin() {
        if asJSON { return }
        Machine.header.forEach { Console.output($0) }
        Console.output("Process  shared by client and hub: CPU time and memory include both")
        Console.output("Memory   resident, in MiB; heap: growth of allocated memory in bytes per call")
        let titles = [
            "case", "calls", "in flight", "calls/s", "CPU us", "p50 ms", "p99 ms", "p99.9 ms", "heap", "start", "warm",
            "middle", "end", "growth", "peak", "threads",
        ]
        Console.output(text: "\n" + row(titles))
    }

    /// Writes a measurement.
    func add(_ measurement: Measurement) {
        if asJSON { return Console.output(json(measurement)) }
        let memory = measurement.memory
        let resident = [
            memory.atStart, memory.afterWarmUp, memory.inTheMiddle, memory.atEnd, memory.growth, memory.peak,
        ]
        let cells = [
            measurement.name, "\(measurement.count)", "\(measurement.inFlight)", measurement.rate.grouped,
            measurement.cpuTimePerCall.formatted(decimals: 1),
        ]
        let latencies = [500, 990, 999].map { (measurement.latency(ofFastest: $0) / 1000).formatted(decimals: 2) }
        let heap = measurement.allocatedBytesPerCall.map(signed) ?? "unknown"
        let memoryCells = resident.map { $0.map { signed(Double($0) / 1024) } ?? "unknown" }
        let threads = measurement.threadCount.map { "\($0)" } ?? "unknown"
        Console.output(row(cells + latencies + [heap] + memoryCells + [threads]))
    }

    private func json(_ measurement: Measurement) -> String {
        let memory = measurement.memory
        // No value needs escaping.
        let fields = [
            ("case", "\"\(measurement.name)\""), ("count", "\(measurement.count)"),
            ("inFlight", "\(measurement.inFlight)"), ("callsPerSecond", measurement.rate.formatted(decimals: 1)),
            ("cpuMicrosecondsPerCall", measurement.cpuTimePerCall.formatted(decimals: 1)),
            ("p50", measurement.latency(ofFastest: 500).formatted(decimals: 1)),
            ("p99", measurement.latency(ofFastest: 990).formatted(decimals: 1)),
            ("p999", measurement.latency(ofFastest: 999).formatted(decimals: 1)),
            ("allocatedGrowth", text(memory.allocatedGrowth)),
            ("allocatedBytesPerCall", measurement.allocatedBytesPerCall.map(signed) ?? "null"),
            ("residentAtStart", text(memory.atStart)), ("residentAfterWarmUp", text(memory.afterWarmUp)),
            ("residentInTheMiddle", text(memory.inTheMiddle)), ("residentAtEnd", text(memory.atEnd)),
            ("growth", text(memory.growth)), ("peak", text(memory.peak)), ("threads", text(measurement.threadCount)),
        ]
        return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private func text(_ number: Int?) -> String { number.map { "\($0)" } ?? "null" }

    private func signed(_ number: Double) -> String {
        let text = abs(number).formatted(decimals: 1)
        return number < 0 ? "-" + text : text
    }

    private func row(_ cells: [String]) -> String {
        cells.row(widths: [-18, 8, 9, 9, 7, 8, 8, 8, 7, 8, 7, 7, 7, 7, 7, 7])
    }
}
