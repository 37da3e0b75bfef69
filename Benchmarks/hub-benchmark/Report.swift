import HubBenchmarkSystem
import HubCommandLine

/// Writes measurements, each as soon as it is there: a table for people, or JSON.
struct Report {
    let asJSON: Bool

    func begin() {
        if asJSON { return }
        Machine.header.forEach { Console.output($0) }
        Console.output("Memory   MiB of this process, in which client and hub are")
        let titles = ["case", "calls", "at once", "a second", "p50 ms", "p99 ms"]
        Console.output(text: "\n" + row(titles + ["at start", "warm", "middle", "end", "growth", "peak", "threads"]))
    }

    func add(_ measurement: Measurement) {
        if asJSON { return Console.output(json(measurement)) }
        let memory = measurement.memory
        let figures = [
            memory.atStart, memory.afterWarmUp, memory.inTheMiddle, memory.atEnd, memory.growth, memory.peak,
        ]
        let cells = [
            measurement.name, "\(measurement.latencies.count)", "\(measurement.inFlight)", measurement.rate.grouped,
            milliseconds(measurement.percentile(50)), milliseconds(measurement.percentile(99)),
        ]
        let threads = measurement.threadCount.map { "\($0)" } ?? "unknown"
        Console.output(row(cells + figures.map { $0.map(mebibytes) ?? "unknown" } + [threads]))
    }

    private func json(_ measurement: Measurement) -> String {
        let memory = measurement.memory
        // No text here has a character that JSON would have escaped.
        let fields = [
            ("case", "\"\(measurement.name)\""), ("count", "\(measurement.latencies.count)"),
            ("inFlight", "\(measurement.inFlight)"), ("callsPerSecond", measurement.rate.formatted(decimals: 1)),
            ("p50", measurement.percentile(50).formatted(decimals: 1)),
            ("p99", measurement.percentile(99).formatted(decimals: 1)),
            ("residentAtStart", text(memory.atStart)), ("residentAfterWarmUp", text(memory.afterWarmUp)),
            ("residentInTheMiddle", text(memory.inTheMiddle)), ("residentAtEnd", text(memory.atEnd)),
            ("growth", text(memory.growth)), ("peak", text(memory.peak)), ("threads", text(measurement.threadCount)),
        ]
        return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private func text(_ number: Int?) -> String { number.map { "\($0)" } ?? "null" }

    private func milliseconds(_ microseconds: Double) -> String { (microseconds / 1000).formatted(decimals: 2) }

    private func mebibytes(_ kibibytes: Int) -> String {
        let text = (Double(abs(kibibytes)) / 1024).formatted(decimals: 1)
        return kibibytes < 0 ? "-" + text : text
    }

    private func row(_ cells: [String]) -> String {
        let widths = [-18, 8, 7, 9, 8, 8, 8, 7, 7, 7, 7, 7, 7]
        let padded = zip(cells, widths).map { $1 < 0 ? $0.padded(right: -$1) : $0.padded(left: $1) }
        return padded.joined(separator: "  ")
    }
}
