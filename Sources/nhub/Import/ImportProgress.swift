import HubCommandLine

/// The progress line of an import, which is rewritten on a terminal.
struct ImportProgress {
    private let isShown: Bool
    private let text: ProgressText
    private var lastShown: Duration?
    private var lastCount = 0
    private var meter: RateMeter

    /// The time between two updates.
    private static let interval = Duration.milliseconds(200)

    /// Creates a progress line.
    ///
    /// - Parameters:
    ///   - total: The number of lines in the input, if known.
    ///   - finished: The number of lines that an earlier run finished.
    init(total: Int?, finished: Int, isShown: Bool = Terminal.showsErrors) {
        self.isShown = isShown
        text = ProgressText(total: total)
        meter = RateMeter(count: finished)
    }

    /// Returns the time of the next update, or `nil` if the line is not shown.
    func nextTime(now: Duration) -> Duration? {
        isShown ? now + Self.interval : nil
    }

    /// Writes the line if an update is due.
    mutating func show(_ finished: FinishedLines, pauseEnd: Duration?, now: Duration) {
        guard isShown, lastShown.map({ now - $0 >= Self.interval }) ?? true else { return }
        lastShown = now
        meter.add(finished.count, at: now)
        let line = text.line(
            finished: finished.count, failed: finished.count(.failed), rate: meter.rate,
            pause: pauseEnd.map { $0 - now })
        // A line wider than the terminal cannot be overwritten, and some terminals wrap after the last column.
        let shown = Terminal.width.map { String(line.prefix($0 - 1)) } ?? line
        Console.status(shown, over: lastCount)
        lastCount = shown.count
    }

    /// Removes the line.
    mutating func end() {
        guard lastCount > 0 else { return }
        Console.status("", over: lastCount)
        lastCount = 0
    }
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
        return Double(last.count - first.count) / ((last.time - first.time) / .seconds(1))
    }
}

/// The text of a progress line.
struct ProgressText: Hashable, Sendable {
    /// The number of lines in the input, if known.
    let total: Int?

    /// Returns the line, which fits into 80 columns.
    func line(finished: Int, failed: Int, rate: Double, pause: Duration?) -> String {
        var parts = [total.map { "\(bar(finished, of: $0)) \(finished)/\($0)" } ?? "\(finished) lines"]
        if failed > 0 { parts.append("\(failed) failed") }
        if let pause {
            parts.append("throttled for \(Self.time(pause))")
        } else {
            parts.append("\(Int(rate.rounded()))/s")
            if let total, rate > 0 { parts.append("\(Self.time(.seconds(Double(total - finished) / rate))) left") }
        }
        return parts.joined(separator: "  ")
    }

    private func bar(_ finished: Int, of total: Int) -> String {
        let width = 16
        let filled = total > 0 ? finished * width / total : width
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled) + "]"
    }

    /// Formats a duration as hours, minutes and seconds, rounded up: `1:02:03` or `02:03`.
    static func time(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds + (duration.components.attoseconds > 0 ? 1 : 0))
        let (hours, rest) = (seconds / 3600, twoDigits(seconds / 60 % 60) + ":" + twoDigits(seconds % 60))
        return hours > 0 ? "\(hours):\(rest)" : rest
    }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
