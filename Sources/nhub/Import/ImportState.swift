/// The state machine of an import, which tracks waiting, in-flight and finished lines.
///
/// It does no I/O and does not wait, so tests can cover every path. Lines are identified by their numbers. Times are durations
/// since the start of the import.
struct ImportState: Sendable {
    /// The next action of an import.
    enum Step: Hashable, Sendable {
        /// Send a line's device.
        case start(Int)
        /// Read one line, and report it with ``add(_:key:)``, ``finish(_:_:)``, ``skip(_:)`` or ``endInput()``.
        case read
        /// Wait until a call ends or the time is reached.
        case wait(until: Duration?)
        /// The import has ended.
        case end
    }

    /// The consequence of an attempt for its line.
    enum Verdict: Hashable, Sendable {
        case put
        case failed(String)
        /// The line is retried by this run or the next one.
        case unfinished
    }

    /// The finished lines.
    private(set) var finished: FinishedLines
    /// The reason that the import is stopping, or `nil`.
    private(set) var stopReason: String?
    /// The pace of the import.
    private(set) var pace = ImportPace()
    /// The number of calls in flight.
    private(set) var inFlightCount = 0

    private struct Line {
        let key: String
        var attemptCount = 0
        /// The number of definitive responses when the line's last attempt failed.
        var responseCountAtLastError = 0
    }

    private let concurrency: Int
    private var lines: [Int: Line] = [:]
    /// The unfinished lines with each key, in order. Only the first can be in flight.
    private var linesOfKey: [String: [Int]] = [:]
    private var ready: [Int] = []
    private var delayed: [Int: Duration] = [:]
    private var lastLine = 0
    private var isAtEnd = false

    /// The number of attempts after which a line fails if other lines succeed.
    static let maximumAttempts = 4
    /// The number of lines to read ahead of the first unfinished line, which bounds the memory for finished lines.
    static let maximumReadAhead = 65_536

    /// Creates the state of a new or resumed import.
    ///
    /// - Parameters:
    ///   - concurrency: The maximum number of calls in flight.
    ///   - finished: The lines that earlier runs finished.
    init(concurrency: Int, finished: FinishedLines = FinishedLines()) {
        precondition(concurrency > 0, "concurrency must be positive")
        self.concurrency = concurrency
        self.finished = finished
    }

    /// Returns the end of the current pause, or `nil` if there is none.
    func pauseEnd(now: Duration) -> Duration? {
        pace.pauseEnd > now ? pace.pauseEnd : nil
    }

    /// Adds a line to send.
    ///
    /// - Parameter key: A key that is equal for lines that must be sent in order.
    mutating func add(_ line: Int, key: String) {
        lastLine = line
        lines[line] = Line(key: key)
        linesOfKey[key, default: []].append(line)
        if linesOfKey[key]?.first == line { ready.append(line) }
    }

    /// Adds a line that is finished without a call.
    mutating func finish(_ line: Int, _ ending: FinishedLines.Ending) {
        lastLine = line
        finished.insert(line, ending)
    }

    /// Skips a line that is not sent by itself: an earlier run finished it, or its record continues.
    mutating func skip(_ line: Int) {
        lastLine = line
    }

    /// Marks the end of the input.
    mutating func endInput() {
        isAtEnd = true
    }

    /// Stops the import: no further call starts.
    mutating func stop(_ reason: String) {
        stopReason = stopReason ?? reason
    }

    /// Returns the next action.
    mutating func next(now: Duration) -> Step {
        if stopReason != nil { return inFlightCount == 0 ? .end : .wait(until: nil) }
        for line in delayed.filter({ $0.value <= now }).keys.sorted().reversed() {
            delayed[line] = nil
            ready.insert(line, at: 0)
        }
        let mayRead = !isAtEnd && lines.count < 4 * concurrency && lastLine - finished.mark < Self.maximumReadAhead
        if inFlightCount < concurrency, !ready.isEmpty || mayRead {
            guard now >= pace.pauseEnd else { return .wait(until: pace.pauseEnd) }
            if ready.isEmpty { return .read }
            inFlightCount += 1
            return .start(ready.removeFirst())
        }
        if lines.isEmpty, isAtEnd { return .end }
        return .wait(until: inFlightCount < concurrency ? delayed.values.min() : nil)
    }

    /// Records the outcome of an attempt.
    ///
    /// - Parameter random: A number from 0 to 1 that determines the random part of the delay.
    mutating func end(_ line: Int, _ outcome: WriteOutcome, now: Duration, random: Double) -> Verdict {
        inFlightCount -= 1
        switch outcome {
        case .accepted:
            pace.recordResponse()
            close(line, .put)
            return .put
        case .rejected(let reason):
            pace.recordResponse()
            close(line, .failed)
            return .failed(reason)
        case .throttled(let retryAfter):
            pace.recordThrottling(retryAfter: retryAfter, now: now)
            ready.insert(line, at: 0)
        case .transientError(let reason, let isConnectionError):
            return recordError(line, reason, isConnectionError: isConnectionError, now: now, random: random)
        case .permanentError(let reason):
            stop("line \(line): \(reason)")
        case .cancelled:
            break
        }
        return .unfinished
    }

    /// Records an error and decides between a retry, a failed line and a stop.
    ///
    /// The line fails only if other lines succeeded since its previous attempt, or if it is among the last lines and others
    /// succeeded earlier.
    private mutating func recordError(
        _ line: Int, _ reason: String, isConnectionError: Bool, now: Duration, random: Double
    ) -> Verdict {
        guard var state = lines[line] else { return .unfinished }
        state.attemptCount += 1
        let isLineAtFault =
            state.attemptCount >= Self.maximumAttempts && pace.definitiveResponseCount > state.responseCountAtLastError
        state.responseCountAtLastError = pace.definitiveResponseCount
        lines[line] = state
        let isLast = isAtEnd && ready.isEmpty && pace.definitiveResponseCount > 0
        let mustStop = pace.recordError(isConnectionError: isConnectionError, now: now)
        if isLineAtFault || mustStop && isLast {
            close(line, .failed)
            return .failed("\(reason) (\(state.attemptCount) attempts)")
        }
        if mustStop {
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
