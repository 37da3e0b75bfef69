/// Which lines of a file are finished: all up to a mark, and some above it.
///
/// It takes no more room than there are finished lines above the first unfinished one.
struct FinishedLines: Hashable, Sendable {
    /// The last line before which, and with which, all are finished.
    private(set) var mark = 0
    private var above: Set<Int> = []

    /// How a line ended.
    enum Ending: String, CaseIterable, Sendable {
        case put, failed, blank
    }

    private var counts: [Ending: Int] = [:]

    /// How many lines ended in a certain way.
    func count(_ ending: Ending) -> Int { counts[ending, default: 0] }

    /// How many lines are finished.
    var count: Int { mark + above.count }

    /// Whether a line is finished.
    func contains(_ line: Int) -> Bool {
        line <= mark || above.contains(line)
    }

    /// Takes note that a line is finished; a line that is already stays as it is.
    mutating func insert(_ line: Int, _ ending: Ending) {
        guard line > mark, above.insert(line).inserted else { return }
        counts[ending, default: 0] += 1
        while above.remove(mark + 1) != nil { mark += 1 }
    }
}
