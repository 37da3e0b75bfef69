import HubBenchmarkSystem
import HubCommandLine

/// A report as a GitHub Markdown table, with a column for the time of each other implementation.
struct Markdown: Report {
    func begin() {}

    func add(_ result: Measurement, comparedWith peer: Measurement?) {}

    func end(_ results: [Measurement]) {
        let own = results.filter(\.isOfThisPackage)
        if let origin = (own.first ?? results.first)?.origin {
            let machine = origin.machine ?? "Unknown machine"
            Console.output(Self.escaped(machine + (origin.commit.map { "; commit \($0)" } ?? "")))
        }
        let peers = results.otherImplementations
        let titles = ["Case", "ns", "Median", "op/s", "MB/s", "Kernel", "Allocations"] + peers.map { "\($0), ns" }
        let rows = results.caseNames.map { name in
            Self.cells(name, own.first { $0.name == name })
                + peers.map { peer in
                    results.first { $0.name == name && $0.implementation == peer }?.best.formatted(decimals: 1) ?? ""
                }
        }
        Console.output(text: "\n" + Self.table(titles, rows, leftAligned: [0, 5]))
        Footer.lines(results, noiseMark: "\\~").forEach { Console.output(text: "\n" + $0) }
    }

    private static func cells(_ name: String, _ result: Measurement?) -> [String] {
        guard let result else { return ["`\(name)`"] + Array(repeating: "", count: 6) }
        return [
            "`\(name)`", result.best.formatted(decimals: 1),
            (result.median?.formatted(decimals: 1) ?? "") + (result.isNoisy ? " ~" : ""),
            result.operationsPerSecond.grouped, result.megabytesPerSecond?.grouped ?? "", result.kernel ?? "",
            result.allocations?.formattedCount ?? "unknown",
        ]
    }

    /// Returns a table. Columns are aligned right unless listed.
    static func table(_ titles: [String], _ rows: [[String]], leftAligned: Set<Int>) -> String {
        let alignment = titles.indices.map { leftAligned.contains($0) ? "---" : "--:" }
        let lines = [titles.map(escaped), alignment] + rows.map { $0.map(escaped) }
        return lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    /// Returns text that Markdown shows unchanged in a table.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { $0 += "|~<\\".contains($1) ? "\\\($1)" : "\($1)" }
    }
}

extension [Measurement] {
    /// The names of the cases, in order.
    fileprivate var caseNames: [String] { map(\.name).withoutDuplicates }

    /// The implementations other than this package's, in order.
    fileprivate var otherImplementations: [String] {
        filter { !$0.isOfThisPackage }.map(\.implementation).withoutDuplicates
    }
}

extension [String] {
    /// The strings in order, each once.
    var withoutDuplicates: [String] {
        reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
