import HubCommandLine
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
