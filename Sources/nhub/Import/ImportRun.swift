import HubLock
import NotificationHubs

/// A running import, which reads, sends and records lines as ``ImportState`` decides.
struct ImportRun {
    let hub: NotificationHub
    let options: ImportOptions
    let records: ImportRecords

    private let lines: LineReader
    private let start = ContinuousClock.now
    private var state: ImportState
    private var progress: ProgressLine
    /// The unfinished lines, by number.
    private var unfinished: [Int: ImportLine] = [:]
    /// The time at which a sleeping task wakes the loop.
    private var alarm: Duration?
    private let finishedBefore: FinishedLines
    private let newIDs = NewRegistrationIDs()
    private var warnings = ImportWarnings()
    /// The columns of a CSV file, after its first record.
    private var table: DeviceTable?
    /// The number of line breaks in the records of a CSV file that were read.
    private var innerBreakCount = 0
    /// A failed record whose last field has no closing quotation mark. It must be last in the failure file, because the open
    /// field would include any record after it.
    private var openRecord: ImportLine?

    /// The polling interval for standard input.
    private static let inputInterval = Duration.milliseconds(50)

    /// An event that a task of the group returns.
    private enum Event: Sendable {
        case ended(Int, WriteOutcome)
        case alarmFired
    }

    init(_ hub: NotificationHub, _ options: ImportOptions, _ records: ImportRecords) throws {
        (self.hub, self.options, self.records) = (hub, options, records)
        lines = try options.input.lines()
        finishedBefore = records.finished
        state = ImportState(concurrency: options.concurrency, finished: finishedBefore)
        progress = ProgressLine(
            total: options.input.content?.lineCount, finished: finishedBefore.count, unit: "lines")
    }

    private var now: Duration { ContinuousClock.now - start }

    /// Imports until the end of the input, an error that stops the import, or cancellation.
    ///
    /// - Throws: An error if the input cannot be read or the records cannot be written.
    mutating func run() async throws -> ImportSummary {
        defer { progress.end() }
        try await withThrowingTaskGroup(of: Event.self) { group in
            // Cancels calls in flight if an error leaves the scope early.
            defer { group.cancelAll() }
            try await loop(&group)
        }
        try records.synchronize()
        progress.end()
        warnings.report()
        let finished = state.finished
        let ending: ImportSummary.Ending =
            if let reason = state.stopReason { Task.isCancelled ? .interrupted : .stopped(reason: reason) } else {
                .complete
            }
        if ending == .complete { try records.complete() }
        return ImportSummary(
            ending: ending, put: finished.count(.put), failed: finished.count(.failed),
            before: finishedBefore.count(.put) + finishedBefore.count(.failed), duration: now,
            failuresPath: records.failures.containsFailures ? records.failures.path : nil,
            isCSV: options.input.format == .csv, canBeResumed: records.canBeResumed)
    }

    private mutating func loop(_ group: inout ThrowingTaskGroup<Event, any Error>) async throws {
        while true {
            if Task.isCancelled { state.stop("interrupted") }
            progress.show(
                finished: state.finished.count, failed: state.finished.count(.failed),
                pauseEnd: state.pauseEnd(now: now), now: now)
            switch state.next(now: now) {
            case .read:
                if try !read() { try await waitForEvent(until: now + Self.inputInterval, &group) }
            case .start(let number):
                guard case .success(let device)? = unfinished[number]?.device else { continue }
                let (hub, newIDs) = (hub, newIDs)
                group.addTask {
                    .ended(number, await Self.put(device, hub) { try await newIDs.id(ofLine: number, in: hub) })
                }
            case .wait(let until):
                try await waitForEvent(until: until, &group)
            case .end:
                if state.stopReason == nil, let line = openRecord { try fail(line) }
                return
            }
        }
    }

    private static func put(
        _ device: ImportLine.Device, _ hub: NotificationHub, newID: () async throws -> Registration.ID
    ) async -> WriteOutcome {
        do {
            switch device {
            case .installation(let installation): try await hub.putInstallation(installation, enforcesLimits: false)
            case .registration(let registration, let id):
                _ = try await hub.writeRegistration(registration, newID: newID) { $0.id == id }
            }
            return .accepted
        } catch {
            return WriteOutcome(error)
        }
    }

    /// Reads a line, or the end of the input.
    ///
    /// - Returns: `false` if neither is available yet, so that other events are not delayed by a slow writer.
    private mutating func read() throws -> Bool {
        let next: LineReader.Line?
        do {
            guard try lines.isReady() else { return false }
            next = try lines.next()
        } catch {
            throw FileReadError("the input", options.input.path, reason: error)
        }
        try process(next)
        return true
    }

    private mutating func process(_ next: LineReader.Line?) throws {
        let content = options.input.content
        guard let line = next, line.number <= content?.lineCount ?? .max else {
            // A changed file may contain lines that were not imported.
            guard content.map({ $0.digest == lines.digest }) ?? true else {
                throw FileReadError("the input", options.input.path, reason: ImportInput.InputChangedError())
            }
            if content == nil, options.input.format == .csv, table == nil { table = try options.input.table(nil) }
            return state.endInput()
        }
        let place = options.input.format == .csv ? "line \(line.number + innerBreakCount)" : nil
        if options.input.format == .csv {
            innerBreakCount += line.innerBreakCount
            if line.number == 1 {
                table = try options.input.table(line)
                records.failures.header = FailureComment.header(line.bytes, withByteOrderMark: lines.hasByteOrderMark)
            }
        }
        if state.finished.contains(line.number) { return state.skip(line.number) }
        let isHeader = table != nil && line.number == 1
        guard !isHeader, let importLine = ImportLine(line, table: table, at: place) else {
            try records.add(line.number, .blank, now: now)
            return state.finish(line.number, .blank)
        }
        switch importLine.device {
        case .success(let device):
            warnings.add(device)
            unfinished[line.number] = importLine
            state.add(line.number, key: device.key)
        case .failure where importLine.isOpen:
            openRecord = importLine
            state.skip(line.number)
        case .failure:
            try fail(importLine)
        }
    }

    /// Records a line that is invalid.
    private mutating func fail(_ line: ImportLine) throws {
        guard case .failure(let error) = line.device else { return }
        try records.addFailure(line.number, line.failure(error.description), line.content, now: now)
        state.finish(line.number, .failed)
    }

    private mutating func waitForEvent(
        until time: Duration?, _ group: inout ThrowingTaskGroup<Event, any Error>
    ) async throws {
        if state.stopReason == nil { setAlarm(time, &group) } else { group.cancelAll() }
        if let event = try await group.next() { try handle(event) }
    }

    private mutating func handle(_ event: Event) throws {
        switch event {
        case .alarmFired:
            alarm = nil
        case .ended(let number, let outcome):
            switch state.end(number, outcome, now: now, random: .random(in: 0...1)) {
            case .put:
                try records.add(number, .put, now: now)
            case .failed(let reason):
                if let line = unfinished[number] {
                    try records.addFailure(number, line.failure(reason), line.content, now: now)
                }
            case .unfinished:
                return
            }
            unfinished[number] = nil
            newIDs.remove(line: number)
        }
    }

    /// Adds a task that wakes the loop at the next time that is not the end of a call.
    private mutating func setAlarm(_ time: Duration?, _ group: inout ThrowingTaskGroup<Event, any Error>) {
        guard let next = [time, progress.nextTime(now: now)].compactMap(\.self).min(), alarm.map({ $0 > next }) ?? true
        else { return }
        alarm = next
        let delay = next - now
        group.addTask {
            try? await Task.sleep(for: max(.zero, delay))
            return .alarmFired
        }
    }
}

/// The IDs for new registrations. A line keeps its ID when it is sent again, since the hub may have accepted the first request.
private final class NewRegistrationIDs: Sendable {
    private let ids = Locked<[Int: Registration.ID]>([:])

    /// Returns the ID for a line's registration.
    func id(ofLine number: Int, in hub: NotificationHub) async throws -> Registration.ID {
        if let id = ids.withLock({ $0[number] }) { return id }
        let id = try await hub.createRegistrationID()
        ids.withLock { $0[number] = id }
        return id
    }

    func remove(line number: Int) { ids.withLock { $0[number] = nil } }
}

/// The pace of an import: pauses that the hub requests, and the time since the last success.
///
/// All times are durations since the start of the import.
struct ImportPace: Hashable, Sendable {
    /// The time before which no call starts.
    private(set) var pauseEnd = Duration.zero
    /// The number of lines that the hub accepted or rejected, which shows that it works.
    private(set) var definitiveResponseCount = 0

    private var throttleCount = 0
    private var errorCount = 0
    private var firstErrorTime: Duration?

    /// The duration of consecutive errors after which the import stops.
    static let errorTimeout = Duration.seconds(30)
    /// The number of connection errors after which the import stops, if the hub has not accepted or rejected any line.
    static let maximumInitialAttempts = 5
    /// The longest pause when the hub does not specify a duration.
    static let maximumBackoff = Duration.seconds(60)

    /// Records that the hub accepted or rejected a line.
    mutating func recordResponse() {
        definitiveResponseCount += 1
        (throttleCount, errorCount, firstErrorTime) = (0, 0, nil)
    }

    /// Records that the hub throttled a request.
    mutating func recordThrottling(retryAfter: Duration?, now: Duration) {
        (errorCount, firstErrorTime) = (0, nil)
        // A zero duration, or a date in the past by this machine's clock, counts as unspecified.
        if let retryAfter, retryAfter > .zero {
            pauseEnd = max(pauseEnd, now + retryAfter)
        } else if now >= pauseEnd {
            // Concurrent calls report the same throttling, which counts once.
            pauseEnd = now + min(.seconds(1 << min(throttleCount, 6)), Self.maximumBackoff)
            throttleCount += 1
        }
    }

    /// Records an error that is probably not caused by the line.
    ///
    /// - Returns: Whether the import must stop.
    mutating func recordError(isConnectionError: Bool, now: Duration) -> Bool {
        errorCount += 1
        let start = firstErrorTime ?? now
        firstErrorTime = start
        if isConnectionError, definitiveResponseCount == 0, errorCount >= Self.maximumInitialAttempts { return true }
        return now - start >= Self.errorTimeout
    }

    /// Returns the delay after a number of attempts: 1, 2, 4 or 8 seconds, half of it random.
    static func backoff(after attemptCount: Int, random: Double) -> Duration {
        .seconds(1 << min(max(0, attemptCount - 1), 3)) * (0.5 + random / 2)
    }
}
