import HubBenchmarkSystem
import HubCommandLine

/// The output: a table with a header that describes the machine, or JSON.
struct Report {
    private let options: Options

    init(_ options: Options) {
        self.options = options
    }

    /// Prints the header.
    func begin() {
        if options.asJSON { return }
        Machine.header.forEach { Console.output($0) }
        Console.output(text: "Clock    \(CycleCounter.unit)\n")
        Console.output(row(["case", "measurements", "median", "verdict", "|t| of each run"]))
    }

    /// Prints the result of a case.
    func add(_ timingCase: Case, _ measurement: Measurement) {
        let t = measurement.t.map { $0.formatted(decimals: 2) }
        let verdict =
            switch (measurement.isLeak, timingCase.isPlanted) {
            case (false, false): "no leak"
            case (true, false): "leak"
            case (false, true): "not found"
            case (true, true): "found"
            }
        if options.asJSON {
            var object = JSONOutput()
            object.add("case", timingCase.name)
            object.add("t", literal: "[\(t.joined(separator: ","))]")
            object.add("measurements", Int64(options.count))
            object.add("median", Int64(measurement.median))
            object.add("verdict", verdict)
            Console.output(String(decoding: object.bytes, as: UTF8.self))
        } else {
            let cells = [timingCase.name, "\(options.count)", "\(measurement.median)", verdict]
            Console.output(row(cells + [t.joined(separator: "  ")]))
        }
    }

    private func row(_ cells: [String]) -> String {
        let widths = [-22, 12, 6, -9, -1]
        return zip(cells, widths).map { $1 < 0 ? $0.padded(right: -$1) : $0.padded(left: $1) }.joined(separator: "  ")
    }
}
