import HubCommandLine
import HubText

/// The progress of a command on standard error: a line that is rewritten on a terminal, or a line every ten seconds elsewhere.
struct ProgressLine {
    private let isTerminal: Bool
    private let text: ProgressText
    private var lastShown = Duration.zero
    private var lastCount = 0
    private var meter: RateMeter

    /// The time between two updates.
    private var interval: Duration { isTerminal ? .milliseconds(200) : .seconds(10) }

    /// Creates a progress line.
    ///
    /// - Parameters:
    ///   - total: The number of items, if known.
    ///   - finished: The number of items that an earlier run finished.
    ///   - unit: The items' name in the plural.
    init(total: Int?, finished: Int = 0, unit: String, isTerminal: Bool = Terminal.showsErrors) {
        self.isTerminal = isTerminal
        text = ProgressText(total: total, unit: unit)
        meter = RateMeter(count: finished)
    }

    /// Returns the time of the next update.
    func nextTime(now: Duration) -> Duration {
        now + interval
    }

    /// Writes the line if an update is due.
    ///
    /// - Parameters:
    ///   - now: The time since the start of the command.
    ///   - pauseEnd: The end of a pause that the hub requested.
    mutating func show(finished: Int, failed: Int = 0, pauseEnd: Duration? = nil, now: Duration) {
        guard now - lastShown >= interval else { return }
        lastShown = now
        meter.add(finished, at: now)
        let line = text.line(
            finished: finished, failed: failed, rate: meter.rate, pause: pauseEnd.map { $0 - now }, hasBar: isTerminal)
        guard isTerminal else { return Console.error("nhub: \(line)") }
        // A line wider than the terminal cannot be overwritten, and some terminals wrap after the last column.
        let shown = Terminal.width.map { String(line.prefix($0 - 1)) } ?? line
        Console.status(shown, over: lastCount)
        lastCount = shown.count
    }

    /// Removes the line from a terminal.
    mutating func end() {
        guard lastCount > 0 else { return }
        Console.status("", over: lastCount)
        lastCount = 0
    }
}

/// The progress of a listing of unknown length.
struct ListingProgress {
    private var line: ProgressLine
    private let start = ContinuousClock.now
    private var count = 0

    /// - Parameter unit: The items' name in the plural.
    init(_ unit: String) {
        line = ProgressLine(total: nil, unit: unit)
    }

    /// Counts items, and writes the line if an update is due.
    mutating func add(_ newCount: Int) {
        count += newCount
        line.show(finished: count, now: ContinuousClock.now - start)
    }

    /// Removes the line from a terminal.
    mutating func end() { line.end() }
}

/// A meter of a count's growth during approximately the last ten seconds.
struct RateMeter: Hashable, Sendable {
    private var samples: [Sample]

    private struct Sample: Hashable {
        let count: Int
        let time: Duration
    }

    private static let window = Duration.seconds(10)

    /// Creates a meter.
    ///
    /// - Parameter count: The count at time zero.
    init(count: Int) {
        samples = [Sample(count: count, time: .zero)]
    }

    /// Records the count at a time.
    mutating func add(_ count: Int, at time: Duration) {
        samples.append(Sample(count: count, time: time))
        while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// The growth per second.
    var rate: Double {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return 0 }
        let seconds: Double = (last.time - first.time) / .seconds(1)
        return Double(last.count - first.count) / seconds
    }
}

/// The text of a progress line.
struct ProgressText: Hashable, Sendable {
    /// The number of items, if known.
    let total: Int?
    /// The items' name in the plural.
    let unit: String

    /// Returns the line, which fits into 80 columns.
    func line(finished: Int, failed: Int, rate: Double, pause: Duration?, hasBar: Bool = true) -> String {
        var parts = [
            total.map {
                "\(hasBar ? bar(finished, of: $0) + " " : "")\(percentage(finished, of: $0)) \(finished)/\($0)"
            }
                ?? "\(finished) \(unit)"
        ]
        if failed > 0 { parts.append("\(failed) failed") }
        if let pause {
            parts.append("throttled for \(Self.time(pause))")
        } else {
            parts.append("\(Int(rate.rounded()))/s")
            if let total, rate > 0 { parts.append("\(Self.time(.seconds(Double(total - finished) / rate))) left") }
        }
        return parts.joined(separator: "  ")
    }

    private func percentage(_ finished: Int, of total: Int) -> String {
        "\(total > 0 ? finished * 100 / total : 100)%"
    }

    private func bar(_ finished: Int, of total: Int) -> String {
        let width = 16
        let filled = total > 0 ? min(width, finished * width / total) : width
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled) + "]"
    }

    /// Formats a duration as hours, minutes and seconds, rounded up: `1:02:03` or `02:03`.
    static func time(_ duration: Duration) -> String {
        let seconds = Int(max(0, duration.components.seconds + (duration.components.attoseconds > 0 ? 1 : 0)))
        let (hours, rest) = (seconds / 3600, (seconds / 60 % 60).padded(to: 2) + ":" + (seconds % 60).padded(to: 2))
        return hours > 0 ? "\(hours):\(rest)" : rest
    }
}
