import HubBenchmarkSystem
import HubCommandLine

/// A comparison of this package's results with those of an earlier run.
struct Comparison {
    /// A case that was measured in one of the runs or in both.
    private struct Row {
        let name: String
        let before: Double?
        let now: Double?

        /// The time now divided by the time before.
        var ratio: Double? {
            guard let before, let now else { return nil }
            return now / before
        }
    }

    private let rows: [Row]
    /// The percentage by which a case may be slower.
    private let limit: Int
    /// The machines of both runs, if they are known and differ.
    private let machines: (before: String, now: String)?

    init(_ results: [Measurement], with baseline: [Measurement], limit: Int) {
        let (results, baseline) = (results.filter(\.isOfThisPackage), baseline.filter(\.isOfThisPackage))
        rows = (results + baseline).map(\.name).withoutDuplicates.map { name in
            Row(
                name: name, before: baseline.first { $0.name == name }?.best,
                now: results.first { $0.name == name }?.best)
        }
        self.limit = limit
        if let before = baseline.first?.origin.machine, let now = results.first?.origin.machine, before != now {
            machines = (before, now)
        } else {
            machines = nil
        }
    }

    /// Whether no case is slower than the limit allows, and at least one case was compared.
    var passes: Bool { slowerCount == 0 && comparedCount > 0 }

    private var comparedCount: Int { rows.count { $0.ratio != nil } }
    private var slowerCount: Int { rows.count(where: isSlower) }

    private func isSlower(_ row: Row) -> Bool {
        row.ratio.map { $0 > 1 + Double(limit) / 100 } ?? false
    }

    /// A warning if absolute times cannot be compared.
    var warning: String? {
        machines.map { "the baseline is from another machine (\($0.before)): compare only ratios between cases" }
    }

    /// The number of slower cases.
    var verdict: String {
        if comparedCount == 0 { return "No case of this run is in the baseline." }
        return "More than \(limit) % slower than the baseline: \(slowerCount) of \(comparedCount) cases."
    }

    /// The comparison as a table for a terminal.
    var table: String {
        ([titles] + cells).map { row in
            let padded = zip(row, [-24, 12, 12, 7]).map { $1 < 0 ? $0.padded(right: -$1) : $0.padded(left: $1) }
            return (padded + row.suffix(1).filter { !$0.isEmpty }).joined(separator: "  ")
        }.joined(separator: "\n")
    }

    /// The comparison as a Markdown table.
    var markdown: String {
        Markdown.table(titles, cells, leftAligned: [0, 4])
    }

    private var titles: [String] { ["case", "baseline ns", "ns", "ratio", ""] }

    private var cells: [[String]] {
        rows.map { row in
            let note =
                if row.before == nil { "not in the baseline" } else if row.now == nil { "not in this run" } else {
                    isSlower(row) ? "slower" : ""
                }
            return [
                row.name, row.before?.formatted(decimals: 1) ?? "–", row.now?.formatted(decimals: 1) ?? "–",
                row.ratio?.formatted(decimals: 2) ?? "–", note,
            ]
        }
    }
}
