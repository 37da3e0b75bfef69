import HubCommandLine
import NotificationHubs

/// A run of a command that changes many devices, several at a time.
///
/// It stops at an error that is not caused by one device, such as an invalid key. The same command can then be run again.
struct DeviceChanges {
    /// The result for one device.
    enum Outcome: Hashable, Sendable {
        /// The device was changed, or would be changed in a dry run; perhaps with warnings.
        case changed(warnings: [String])
        /// The device was changed without a warning.
        static let changed = changed(warnings: [])
        /// The device needs no change.
        case unchanged
        /// The device was not changed for a reason that the user must handle.
        case skipped(String)
        /// The hub or the client rejected the change.
        case failed(String)
    }

    /// The outcome for a device, with the device's name in reports, such as `installation phone-9`.
    struct Report: Sendable {
        let name: String
        let outcome: Outcome
    }

    /// The numbers of devices with each outcome.
    struct Counts: Hashable, Sendable {
        var changed = 0
        var unchanged = 0
        var skipped = 0
        var failed = 0

        init() {}

        /// The numbers in a record of an earlier run.
        init(_ state: JSONObject) {
            changed = state["changed"]?.int ?? 0
            unchanged = state["unchanged"]?.int ?? 0
            skipped = state["skipped"]?.int ?? 0
            failed = state["failed"]?.int ?? 0
        }

        var total: Int { changed + unchanged + skipped + failed }

        func add(to object: inout JSONOutput, changedName: String = "changed") {
            for (name, count) in [
                (changedName, changed), ("unchanged", unchanged), ("skipped", skipped), ("failed", failed),
            ] { object.add(name, Int64(count)) }
        }
    }

    /// The word for a change in reports, such as `deleted`.
    let verb: String
    let isDryRun: Bool
    let asJSON: Bool
    let concurrency: Int
    private(set) var counts: Counts
    private var warnings = WarningCounts()
    private var progress: ProgressLine
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - total: The number of devices, if known.
    ///   - counts: The outcomes of an earlier run.
    init(_ verb: String, _ options: DeviceChangeOptions, total: Int? = nil, counts: Counts = Counts()) {
        (self.verb, self.counts) = (verb, counts)
        (isDryRun, asJSON, concurrency) = (options.isDryRun, options.asJSON, options.concurrency)
        progress = ProgressLine(total: total, finished: counts.total, unit: "devices")
    }

    /// Applies a change to each item.
    ///
    /// - Parameters:
    ///   - name: A function that returns the item's name in reports, such as `installation phone-9`.
    ///   - change: The change. In a dry run, it must only decide what it would do.
    /// - Throws: An error that is not caused by one item.
    mutating func apply<Item: Sendable>(
        to items: some Sequence<Item>, name: @escaping @Sendable (Item) -> String,
        _ change: @escaping @Sendable (Item) async throws -> Outcome
    ) async throws {
        try await apply(toGroups: items.lazy.map { [$0] }, name: name, change)
    }

    /// Applies a change to the items of each group, one after the other.
    mutating func apply<Item: Sendable>(
        toGroups groups: some Sequence<[Item]>, name: @escaping @Sendable (Item) -> String,
        _ change: @escaping @Sendable (Item) async throws -> Outcome
    ) async throws {
        try await apply(to: groups) { group in
            var reports: [Report] = []
            for item in group { reports.append(try await Self.report(name(item)) { try await change(item) }) }
            return reports
        }
    }

    /// Applies a change to the devices of each item.
    mutating func apply<Item: Sendable>(
        to items: some Sequence<Item>, _ change: @escaping @Sendable (Item) async throws -> [Report]
    ) async throws {
        defer { progress.end() }
        try await withThrowingTaskGroup(of: [Report].self) { group in
            var inFlightCount = 0
            for item in items {
                if inFlightCount == concurrency, let ended = try await group.next() {
                    inFlightCount -= 1
                    try record(ended)
                }
                inFlightCount += 1
                group.addTask { try await change(item) }
            }
            for try await ended in group { try record(ended) }
        }
    }

    /// Records the registrations that the client omits from a listing, as skipped or failed.
    mutating func recordOmissions(unknownKinds: [String], errors: [HubError]) throws(Console.WriteError) {
        for kind in unknownKinds { try record(.skipped("the kind \(kind) is unknown"), of: "registration") }
        for error in errors { try record(.failed(HubFailure(error).description), of: "device") }
    }

    private mutating func record(_ reports: [Report]) throws(Console.WriteError) {
        for report in reports { try record(report.outcome, of: report.name) }
    }

    /// Records the outcome for a device, and reports it if the device was not changed.
    mutating func record(_ outcome: Outcome, of name: String) throws(Console.WriteError) {
        switch outcome {
        case .changed(let found):
            counts.changed += 1
            found.forEach { warnings.add($0) }
            if isDryRun || asJSON { try report(isDryRun ? "would be \(verb)" : verb, name, nil, warnings: found) }
        case .unchanged: counts.unchanged += 1
        case .skipped(let reason):
            counts.skipped += 1
            try report("skipped", name, reason)
        case .failed(let reason):
            counts.failed += 1
            try report("failed", name, reason)
        }
        progress.show(finished: counts.total, failed: counts.failed, now: ContinuousClock.now - start)
    }

    private mutating func report(
        _ outcome: String, _ name: String, _ reason: String?, warnings: [String] = []
    ) throws(Console.WriteError) {
        guard asJSON else {
            progress.end()
            return try Console.result([([outcome, name] + (reason.map { [$0] } ?? [])).joined(separator: ": ")])
        }
        var object = JSONOutput()
        object.add("outcome", outcome)
        object.add("device", name)
        if let reason { object.add("reason", reason) }
        if !warnings.isEmpty { object.add("warnings", warnings) }
        try Console.result(object)
    }

    /// Writes the summary.
    ///
    /// - Returns: The exit status: success if no device was skipped or failed.
    func finish() throws(Console.WriteError) -> ExitStatus {
        warnings.report()
        if asJSON {
            var object = JSONOutput()
            counts.add(to: &object, changedName: isDryRun ? "wouldBeChanged" : "changed")
            object.add("milliseconds", Int64((ContinuousClock.now - start) / .milliseconds(1)))
            try Console.result(object)
        } else {
            var parts = ["\(counts.changed) \(isDryRun ? "would be " : "")\(verb)"]
            if counts.unchanged > 0 { parts.append("\(counts.unchanged) unchanged") }
            if counts.skipped > 0 { parts.append("\(counts.skipped) skipped") }
            if counts.failed > 0 { parts.append("\(counts.failed) failed") }
            try Console.result([parts.joined(separator: ", ")])
        }
        return counts.skipped + counts.failed == 0 ? .success : .failure
    }

    /// Returns the outcome of a device's change, or throws if its error is not caused by the device.
    static func report(_ name: String, _ change: () async throws -> Outcome) async throws -> Report {
        do {
            return Report(name: name, outcome: try await change())
        } catch {
            guard case .rejected(let reason) = WriteOutcome(error) else { throw error }
            return Report(name: name, outcome: .failed(reason))
        }
    }
}

/// The options of commands that change many devices.
struct DeviceChangeOptions: Sendable {
    let isDryRun: Bool
    let isConfirmed: Bool
    let asJSON: Bool
    let concurrency: Int

    init(_ arguments: inout Arguments) throws(UsageError) {
        concurrency = try arguments.concurrency()
        isDryRun = arguments.flag(.dryRun)
        isConfirmed = arguments.flag(.yes)
        asJSON = arguments.flag(.json)
    }

    /// Checks that the user can be asked to confirm a change, or need not be.
    func checkConfirmation() throws(UsageError) {
        guard isDryRun || isConfirmed || Confirmation.isPossible else {
            throw UsageError("without a terminal, pass --yes to confirm, or --dry-run to list the devices")
        }
    }

    /// Asks the user to confirm a change, unless `--yes` or `--dry-run` is given.
    ///
    /// - Returns: Whether to continue.
    /// - Throws: `CancellationError` if the task is cancelled.
    func confirm(_ question: String) throws -> Bool {
        try isDryRun || isConfirmed || Confirmation.ask(question)
    }
}

extension Command.OptionGroup {
    /// Returns the options of commands that change many devices.
    static func changes(_ options: [CommandOption] = []) -> Self {
        Self(
            options + [
                .init(.dryRun, help: "List the devices that would be changed, and change nothing."),
                .init(.yes, help: "Do not ask for confirmation."), .concurrency,
                .init(
                    .json,
                    help: """
                        Print a JSON object for each device (outcome, device, reason, warnings), and a summary with changed \
                        (wouldBeChanged in a dry run), unchanged, skipped, failed and milliseconds.
                        """),
            ])
    }
}

extension HubSettings {
    /// Creates a client for commands that send many requests. It waits as long as the hub requests, up to 15 minutes for a call.
    func bulkHub(concurrency: Int) throws -> NotificationHub {
        try hub(
            maximumConnections: concurrency,
            options: .init(
                retry: RetryPolicy(maximumAttempts: 12), deadline: .seconds(900), attemptTimeout: .seconds(30)))
    }
}
