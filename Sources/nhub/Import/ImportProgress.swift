import HubCommandLine

/// What a person at a terminal sees of an import while it runs: one line, written over and over.
struct ImportProgress {
    private let isShown: Bool
    private let text: ProgressText
    private var lastShown: Duration?
    private var lastCount = 0
    private var meter: RateMeter

    /// How often the line is written.
    private static let interval = Duration.milliseconds(200)

    /// - Parameters:
    ///   - total: how many lines there are, if that is known.
    ///   - finished: how many of them were finished before.
    init(total: Int?, finished: Int, isShown: Bool = Terminal.showsErrors) {
        self.isShown = isShown
        text = ProgressText(total: total)
        meter = RateMeter(count: finished)
    }

    /// When the line is to be written next; `nil` if never.
    func nextTime(now: Duration) -> Duration? {
        isShown ? now + Self.interval : nil
    }

    /// Writes the line, if it is time.
    mutating func show(_ finished: FinishedLines, pauseEnd: Duration?, now: Duration) {
        guard isShown, lastShown.map({ now - $0 >= Self.interval }) ?? true else { return }
        lastShown = now
        meter.add(finished.count, at: now)
        let whole = text.line(
            finished: finished.count, failed: finished.count(.failed), rate: meter.rate,
            pause: pauseEnd.map { $0 - now })
        // What is wider than the terminal could not be written over; in the last column, some begin a new line.
        let line = Terminal.width.map { String(whole.prefix($0 - 1)) } ?? whole
        Console.status(line, over: lastCount)
        lastCount = line.count
    }

    /// Takes the line away.
    mutating func end() {
        guard lastCount > 0 else { return }
        Console.status("", over: lastCount)
        lastCount = 0
    }
}

/// How fast a count grew during the last ten seconds or so.
struct RateMeter: Hashable, Sendable {
    private var samples: [Sample]

    private struct Sample: Hashable {
        let count: Int
        let time: Duration
    }

    private static let window = Duration.seconds(10)

    /// - Parameter count: the count at time zero.
    init(count: Int) {
        samples = [Sample(count: count, time: .zero)]
    }

    /// Takes note of the count at a time.
    mutating func add(_ count: Int, at time: Duration) {
        samples.append(Sample(count: count, time: time))
        while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
    }

    /// How much it grows a second.
    var rate: Double {
        guard let first = samples.first, let last = samples.last, last.time > first.time else { return 0 }
        return Double(last.count - first.count) / ((last.time - first.time) / .seconds(1))
    }
}

/// The words of a line of progress.
struct ProgressText: Hashable, Sendable {
    /// How many lines there are, if that is known.
    let total: Int?

    /// The line; it fits into 80 columns.
    func line(finished: Int, failed: Int, rate: Double, pause: Duration?) -> String {
        var parts = [total.map { "\(bar(finished, of: $0)) \(finished)/\($0)" } ?? "\(finished) lines"]
        if failed > 0 { parts.append("\(failed) failed") }
        if let pause {
            parts.append("the hub asks to wait \(Self.time(pause))")
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

    /// Hours, minutes and seconds, rounded up: `1:02:03` or `02:03`.
    static func time(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds + (duration.components.attoseconds > 0 ? 1 : 0))
        let (hours, rest) = (seconds / 3600, two(seconds / 60 % 60) + ":" + two(seconds % 60))
        return hours > 0 ? "\(hours):\(rest)" : rest
    }

    private static func two(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
