import HubBenchmarkSystem
import HubCommandLine

/// Writes a table for people, with what the figures are of above it.
struct Table: Report {
    private let library: LibCrypto?

    /// - Parameter library: what the cases are compared with, if they are.
    init(comparedWith library: LibCrypto?) {
        self.library = library
    }

    func begin() {
        Machine.header.forEach { Console.output($0) }
        if let library { Console.output("Against  \(library.version)") }
        let titles = ["case", "ns", "median", "rate", "kernel", "allocations"]
        Console.output(
            text: "\n" + row(library == nil ? titles : titles + ["OpenSSL's", "ns", "allocations", "ratio"]))
    }

    func add(_ measurement: Measurement, comparedWith peer: Measurement?) {
        var cells = [
            measurement.workload.name, measurement.best.formatted(decimals: 1),
            measurement.median.formatted(decimals: 1), measurement.rate, measurement.workload.kernel ?? "–",
            measurement.allocations?.formattedCount ?? "unknown",
        ]
        if let peer {
            cells += [
                String(peer.workload.implementation.dropFirst("OpenSSL ".count)), peer.best.formatted(decimals: 1),
                peer.allocations?.formattedCount ?? "unknown", (peer.best / measurement.best).formatted(decimals: 2),
            ]
        } else if library != nil {
            cells += ["–", "–", "–", "–"]
        }
        Console.output(row(cells))
    }

    private func row(_ cells: [String]) -> String {
        let widths = [-24, 11, 11, 17, -9, 11, -10, 11, 11, 6]
        let padded = zip(cells, widths).map { $1 < 0 ? $0.padded(right: -$1) : $0.padded(left: $1) }
        return padded.joined(separator: "  ")
    }
}
