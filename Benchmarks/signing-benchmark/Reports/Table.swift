import HubBenchmarkSystem
import HubCommandLine

/// A report as a table, with a header that describes the machine.
struct Table: Report {
    private let library: LibCrypto?

    /// Creates a table.
    ///
    /// - Parameter library: The OpenSSL library to compare with, if any.
    init(comparedWith library: LibCrypto?) {
        self.library = library
    }

    func begin() {
        Machine.header.forEach { Console.output($0) }
        if let library { Console.output("Versus   \(library.version)") }
        let titles = ["case", "ns", "median", "rate", "kernel", "allocations"]
        Console.output(
            text: "\n" + row(library == nil ? titles : titles + ["OpenSSL", "ns", "allocations", "ratio"]))
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
