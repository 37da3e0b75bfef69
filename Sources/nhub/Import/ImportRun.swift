import NotificationHubs

/// Runs an import: reads, puts and keeps the records, as ``ImportState`` says.
struct ImportRun {
    let hub: NotificationHub
    let options: ImportOptions
    let records: ImportRecords

    private let lines: LineReader
    private let start = ContinuousClock.now
    private var state: ImportState
    private var progress: ImportProgress
    /// The lines that are not finished yet, by number.
    private var unfinished: [Int: ImportLine] = [:]
    /// Until when a task sleeps to wake the loop up.
    private var alarm: Duration?
    private let finishedBefore: FinishedLines

    /// How often to look for standard input to go on.
    private static let inputInterval = Duration.milliseconds(50)

    /// What a task of the group has to tell.
    private enum Event: Sendable {
        case ended(Int, ImportOutcome)
        case rang
    }

    init(_ hub: NotificationHub, _ options: ImportOptions, _ records: ImportRecords) throws {
        (self.hub, self.options, self.records) = (hub, options, records)
        lines = try options.input.lines()
        finishedBefore = records.finished
        state = ImportState(concurrency: options.concurrency, finished: finishedBefore)
        progress = ImportProgress(total: options.input.content?.lineCount, finished: finishedBefore.count)
    }

    private var now: Duration { ContinuousClock.now - start }

    /// Imports to the end, or until something stops it: a cancelled task does.
    ///
    /// - Throws: what keeps the records from being written, or the input from being read.
    mutating func run() async throws -> ImportSummary {
        defer { progress.end() }
        try await withThrowingTaskGroup(of: Event.self) { group in
            // Whatever leaves this scope early leaves no call behind.
            defer { group.cancelAll() }
            try await loop(&group)
        }
        try records.synchronize()
        let finished = state.finished
        let ending: ImportSummary.Ending =
            if let reason = state.stopReason { Task.isCancelled ? .interrupted : .stopped(reason: reason) } else {
                .complete
            }
        if ending == .complete { records.complete() }
        return ImportSummary(
            ending: ending, put: finished.count(.put), failed: finished.count(.failed),
            before: finishedBefore.count(.put) + finishedBefore.count(.failed), duration: now,
            failuresPath: records.failures.exists ? records.failures.path : nil, canBeResumed: records.canBeResumed)
    }

    private mutating func loop(_ group: inout ThrowingTaskGroup<Event, any Error>) async throws {
        while true {
            if Task.isCancelled { state.stop("interrupted") }
            progress.show(state.finished, pauseEnd: state.pauseEnd(now: now), now: now)
            switch state.next(now: now) {
            case .read:
                if try !read() { try await waitForEvent(until: now + Self.inputInterval, &group) }
            case .start(let number):
                guard case .success(let installation)? = unfinished[number]?.installation else { continue }
                let hub = hub
                group.addTask { .ended(number, await Self.put(installation, hub)) }
            case .wait(let until):
                try await waitForEvent(until: until, &group)
            case .end:
                return
            }
        }
    }

    private static func put(_ installation: Installation, _ hub: NotificationHub) async -> ImportOutcome {
        do {
            try await hub.putInstallation(installation)
            return .put
        } catch {
            return ImportOutcome(error)
        }
    }

    /// Reads a line.
    ///
    /// - Returns: whether there was one, or the end: whoever writes standard input may take his time, and what comes
    ///   meanwhile must not wait for him.
    private mutating func read() throws -> Bool {
        let next: LineReader.Line?
        do {
            guard try lines.isReady() else { return false }
            next = try lines.next()
        } catch {
            throw CannotRead(what: "the input", reason: error)
        }
        try take(next)
        return true
    }

    private mutating func take(_ next: LineReader.Line?) throws {
        let content = options.input.content
        guard let line = next, line.number <= content?.lineCount ?? .max else {
            // What is gone, or has been added, was not put.
            guard content.map({ $0.digest == lines.digest }) ?? true else {
                throw CannotRead(what: "the input", reason: ImportInput.Changed())
            }
            return state.endInput()
        }
        if state.finished.contains(line.number) { return state.skip(line.number) }
        guard let read = ImportLine(line) else {
            try records.add(line.number, .blank, now: now)
            return state.finish(line.number, .blank)
        }
        switch read.installation {
        case .success(let installation):
            unfinished[line.number] = read
            state.add(line.number, key: ImportLine.key(installation.id))
        case .failure(let problem):
            try records.addFailure(line.number, problem.description, read.content, now: now)
            state.finish(line.number, .failed)
        }
    }

    private mutating func waitForEvent(
        until time: Duration?, _ group: inout ThrowingTaskGroup<Event, any Error>
    ) async throws {
        if state.stopReason == nil { setAlarm(time, &group) } else { group.cancelAll() }
        if let event = try await group.next() { try handle(event) }
    }

    private mutating func handle(_ event: Event) throws {
        switch event {
        case .rang:
            alarm = nil
        case .ended(let number, let outcome):
            switch state.end(number, outcome, now: now, random: .random(in: 0...1)) {
            case .put:
                try records.add(number, .put, now: now)
            case .failed(let reason):
                if let line = unfinished[number] {
                    try records.addFailure(number, reason, line.content, now: now)
                }
            case .unfinished:
                return
            }
            unfinished[number] = nil
        }
    }

    /// Has the group tell when it is time for something that no call's end tells of.
    private mutating func setAlarm(_ time: Duration?, _ group: inout ThrowingTaskGroup<Event, any Error>) {
        guard let next = [time, progress.nextTime(now: now)].compactMap(\.self).min(), alarm.map({ $0 > next }) ?? true
        else { return }
        alarm = next
        let delay = next - now
        group.addTask {
            try? await Task.sleep(for: max(.zero, delay))
            return .rang
        }
    }
}

/// When calls may begin, for the whole import: what the hub asked for, and how long it has been in trouble.
///
/// It knows no clock: times are durations since the import began.
struct ImportPace: Hashable, Sendable {
    /// Before this, no call begins.
    private(set) var pauseEnd = Duration.zero
    /// How many lines the hub took or refused: it works.
    private(set) var goodAnswerCount = 0

    private var throttleCount = 0
    private var troubleCount = 0
    private var troubleBegan: Duration?

    /// How long the hub may answer nobody before the import gives up.
    static let patience = Duration.seconds(30)
    /// After how many silent attempts the import gives up if the hub has never answered.
    static let silenceAtStart = 5
    /// How long the import pauses at the most when the hub does not say for how long.
    static let longestBackoff = Duration.seconds(60)

    /// The hub took or refused an installation.
    mutating func noteAnswer() {
        goodAnswerCount += 1
        (throttleCount, troubleCount, troubleBegan) = (0, 0, nil)
    }

    /// The hub wants everybody to wait.
    mutating func noteThrottling(for asked: Duration?, now: Duration) {
        (troubleCount, troubleBegan) = (0, nil)
        // No time at all, or a date that is past by this machine's clock, does not say for how long.
        if let asked, asked > .zero {
            pauseEnd = max(pauseEnd, now + asked)
        } else if now >= pauseEnd {
            // Many calls hear of one and the same throttling.
            pauseEnd = now + min(.seconds(1 << min(throttleCount, 6)), Self.longestBackoff)
            throttleCount += 1
        }
    }

    /// An attempt went wrong, and not by the line's fault as far as one can tell.
    ///
    /// - Returns: whether it is time to give up.
    mutating func noteTrouble(isSilent: Bool, now: Duration) -> Bool {
        troubleCount += 1
        let began = troubleBegan ?? now
        troubleBegan = began
        if isSilent, goodAnswerCount == 0, troubleCount >= Self.silenceAtStart { return true }
        return now - began >= Self.patience
    }

    /// How long a line waits after a number of attempts: 1, 2, 4, 8 seconds, half of it by chance.
    static func backoff(after attemptCount: Int, random: Double) -> Duration {
        .seconds(1 << min(max(0, attemptCount - 1), 3)) * (0.5 + random / 2)
    }
}
