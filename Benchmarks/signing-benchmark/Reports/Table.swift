import HubBenchmarkSystem
import HubCommandLine

/// A report as a table, with a header that describes the machine.
struct Table: Report {
    let header: [String]
    /// Whether the table compares with OpenSSL.
    let showsOpenSSL: Bool

    func begin() {
        header.forEach { Console.output($0) }
        let titles = ["case", "ns", "median ", "op/s", "MB/s", "kernel", "allocations"]
        Console.output(
            text: "\n" + row(showsOpenSSL ? titles + ["OpenSSL", "ns", "allocations", "ratio"] : titles))
    }

    func add(_ result: Measurement, comparedWith peer: Measurement?) {
        var cells = [
            result.name, result.best.formatted(decimals: 1),
            (result.median?.formatted(decimals: 1) ?? "–") + (result.isNoisy ? "~" : " "),
            result.operationsPerSecond.grouped, result.megabytesPerSecond?.grouped ?? "–", result.kernel ?? "–",
            result.allocations?.formattedCount ?? "unknown",
        ]
        if let peer {
            cells += [
                String(peer.implementation.dropFirst("OpenSSL ".count)), peer.best.formatted(decimals: 1),
                peer.allocations?.formattedCount ?? "unknown", (peer.best / result.best).formatted(decimals: 2),
            ]
        } else if showsOpenSSL {
            cells += ["–", "–", "–", "–"]
        }
        Console.output(row(cells))
    }

    func end(_ results: [Measurement]) {
        Footer.lines(results, noiseMark: "~").forEach { Console.output(text: "\n" + $0) }
    }

    private func row(_ cells: [String]) -> String {
        cells.row(widths: [-24, 11, 12, 12, 7, -9, 11, -10, 11, 11, 6])
    }
}

/// The sentences that follow a table.
enum Footer {
    /// Returns an explanation of the noise mark, if a row has one, and the tokens per second, if measured.
    static func lines(_ results: [Measurement], noiseMark: String) -> [String] {
        let noise = results.contains { $0.isOfThisPackage && $0.isNoisy }
        let explanation = "\(noiseMark) The median is more than 25 % above the best time: other work disturbed it."
        return (noise ? [explanation] : []) + [results.tokensPerSecond].compactMap { $0.map { "\($0)." } }
    }
}
