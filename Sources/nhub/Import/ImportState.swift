/// Which lines of an import are waiting, under way and finished, and what is to be done next.
///
/// It neither reads, sends nor waits, so that every path of it can be tested. Lines are known by their numbers; times are
/// durations since the import began.
struct ImportState: Sendable {
    /// What is to be done next.
    enum Step: Hashable, Sendable {
        /// Put the installation of a line.
        case start(Int)
        /// Read one more line, and tell of it by ``add(_:key:)``, ``finish(_:_:)``, ``skip(_:)`` or ``endInput()``.
        case read
        /// Wait until a call ends, or until a time.
        case wait(until: Duration?)
        /// There is nothing left to do.
        case end
    }

    /// What an attempt means for its line.
    enum Verdict: Hashable, Sendable {
        case put
        case failed(String)
        /// It is to be tried again, by this import or by the next one.
        case unfinished
    }

    /// Which lines are finished.
    private(set) var finished: FinishedLines
    /// Why no further call begins, if none does.
    private(set) var stopReason: String?
    /// The whole import's pace.
    private(set) var pace = ImportPace()
    /// How many calls are under way.
    private(set) var inFlightCount = 0

    private struct Line {
        let key: String
        var attemptCount = 0
        /// How many lines the hub had dealt with when an attempt to put this one last went wrong.
        var goodAnswersBefore = 0
    }

    private let concurrency: Int
    private var lines: [Int: Line] = [:]
    /// The unfinished lines of a key, in order; the first alone may be under way.
    private var linesOfKey: [String: [Int]] = [:]
    private var ready: [Int] = []
    private var delayed: [Int: Duration] = [:]
    private var lastLine = 0
    private var isAtEnd = false

    /// After how many attempts a line has failed, if the hub works otherwise.
    static let maximumAttempts = 4
    /// How far reading runs ahead of the first unfinished line: so much has to be remembered of finished lines.
    static let furthestAhead = 65_536

    /// - Parameters:
    ///   - concurrency: how many calls are under way at once, at the most.
    ///   - finished: the lines that an earlier import has finished.
    init(concurrency: Int, finished: FinishedLines = FinishedLines()) {
        precondition(concurrency > 0, "without a call nothing is put")
        self.concurrency = concurrency
        self.finished = finished
    }

    /// When the pause that the hub has asked for ends, if there is one now.
    func pauseEnd(now: Duration) -> Duration? {
        pace.pauseEnd > now ? pace.pauseEnd : nil
    }

    /// A line that is to be put.
    ///
    /// - Parameter key: equal for lines that must follow each other.
    mutating func add(_ line: Int, key: String) {
        lastLine = line
        lines[line] = Line(key: key)
        linesOfKey[key, default: []].append(line)
        if linesOfKey[key]?.first == line { ready.append(line) }
    }

    /// A line that nothing is to be put for.
    mutating func finish(_ line: Int, _ ending: FinishedLines.Ending) {
        lastLine = line
        finished.insert(line, ending)
    }

    /// A line that an earlier import has finished.
    mutating func skip(_ line: Int) {
        lastLine = line
    }

    /// There is no further line.
    mutating func endInput() {
        isAtEnd = true
    }

    /// No call is to begin from now on.
    mutating func stop(_ reason: String) {
        stopReason = stopReason ?? reason
    }

    /// What is to be done now.
    mutating func next(now: Duration) -> Step {
        if stopReason != nil { return inFlightCount == 0 ? .end : .wait(until: nil) }
        for line in delayed.filter({ $0.value <= now }).keys.sorted().reversed() {
            delayed[line] = nil
            ready.insert(line, at: 0)
        }
        let mayRead = !isAtEnd && lines.count < 4 * concurrency && lastLine - finished.mark < Self.furthestAhead
        if inFlightCount < concurrency, !ready.isEmpty || mayRead {
            guard now >= pace.pauseEnd else { return .wait(until: pace.pauseEnd) }
            if ready.isEmpty { return .read }
            return .start(begin(ready.removeFirst()))
        }
        if lines.isEmpty, isAtEnd { return .end }
        return .wait(until: inFlightCount < concurrency ? delayed.values.min() : nil)
    }

    private mutating func begin(_ line: Int) -> Int {
        inFlightCount += 1
        return line
    }

    /// Takes note of how an attempt ended.
    ///
    /// - Parameter random: a number from 0 to 1, for how long the line waits.
    mutating func end(_ line: Int, _ outcome: ImportOutcome, now: Duration, random: Double) -> Verdict {
        inFlightCount -= 1
        switch outcome {
        case .put:
            pace.noteAnswer()
            close(line, .put)
            return .put
        case .refused(let reason):
            pace.noteAnswer()
            close(line, .failed)
            return .failed(reason)
        case .throttled(let asked):
            pace.noteThrottling(for: asked, now: now)
            ready.insert(line, at: 0)
        case .trouble(let reason, let isSilent):
            return noteTrouble(line, reason, isSilent: isSilent, now: now, random: random)
        case .hopeless(let reason):
            stop("line \(line): \(reason)")
        case .cancelled:
            break
        }
        return .unfinished
    }

    /// A line is to blame for trouble only if others fared better since the attempt before, or if it is among the last ones and
    /// others fared better before.
    private mutating func noteTrouble(
        _ line: Int, _ reason: String, isSilent: Bool, now: Duration, random: Double
    ) -> Verdict {
        guard var state = lines[line] else { return .unfinished }
        state.attemptCount += 1
        let isToBlame =
            state.attemptCount >= Self.maximumAttempts && pace.goodAnswerCount > state.goodAnswersBefore
        state.goodAnswersBefore = pace.goodAnswerCount
        lines[line] = state
        let isLast = isAtEnd && ready.isEmpty && pace.goodAnswerCount > 0
        let isTimeOver = pace.noteTrouble(isSilent: isSilent, now: now)
        if isToBlame || isTimeOver && isLast {
            close(line, .failed)
            return .failed("\(reason), \(state.attemptCount) times")
        }
        if isTimeOver {
            stop("line \(line): \(reason)")
        } else {
            delayed[line] = now + ImportPace.backoff(after: state.attemptCount, random: random)
        }
        return .unfinished
    }

    private mutating func close(_ line: Int, _ ending: FinishedLines.Ending) {
        finished.insert(line, ending)
        guard let key = lines.removeValue(forKey: line)?.key else { return }
        linesOfKey[key]?.removeAll { $0 == line }
        if let following = linesOfKey[key]?.first { ready.insert(following, at: 0) } else { linesOfKey[key] = nil }
    }
}
