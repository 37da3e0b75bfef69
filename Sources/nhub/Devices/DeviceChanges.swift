import HubCommandLine
import NotificationHubs

/// A run of a command that changes many devices, several at a time.
///
/// It stops at an error that is not caused by one device, such as an invalid key. The same command can then be run again.
struct DeviceChanges {
    /// The result for one device.
    enum Outcome: Sendable {
        /// The device was changed, or would be changed in a dry run.
        case changed
        /// The device needs no change.
        case unchanged
        /// The device was not changed for a reason that the user must handle.
        case skipped(String)
        /// The hub or the client rejected the change.
        case failed(String)
    }

    /// The word for a change in reports, such as `deleted`.
    let verb: String
    let isDryRun: Bool
    let asJSON: Bool
    let concurrency: Int
    private(set) var changedCount: Int
    private(set) var unchangedCount = 0
    private(set) var skippedCount = 0
    private(set) var failedCount = 0
    private var progress: ProgressLine
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - total: The number of devices, if known.
    ///   - changedCount: The number of devices that an earlier run changed.
    init(_ verb: String, _ options: DeviceChangeOptions, total: Int? = nil, changedCount: Int = 0) {
        (self.verb, self.changedCount) = (verb, changedCount)
        (isDryRun, asJSON, concurrency) = (options.isDryRun, options.asJSON, options.concurrency)
        progress = ProgressLine(total: total, finished: changedCount, unit: "devices")
    }

    /// Applies a change to each item.
    ///
    /// - Parameters:
    ///   - name: A function that returns the item's name in reports, such as `installation phone-9`.
    ///   - change: The change. In a dry run, it must only decide what it would do.
    /// - Throws: An error that is not caused by one item.
    mutating func apply<Item: Sendable>(
        to items: some Sequence<Item>, name: (Item) -> String,
        _ change: @escaping @Sendable (Item) async throws -> Outcome
    ) async throws {
        defer { progress.end() }
        try await withThrowingTaskGroup(of: (Item, Outcome).self) { group in
            var inFlightCount = 0
            for item in items {
                if inFlightCount == concurrency, let (ended, outcome) = try await group.next() {
                    inFlightCount -= 1
                    try record(outcome, of: name(ended))
                }
                inFlightCount += 1
                group.addTask { (item, try await Self.outcome { try await change(item) }) }
            }
            for try await (ended, outcome) in group { try record(outcome, of: name(ended)) }
        }
    }

    /// Records the outcome for a device, and reports it if the device was not changed.
    mutating func record(_ outcome: Outcome, of name: String) throws(Console.WriteError) {
        switch outcome {
        case .changed:
            changedCount += 1
            if isDryRun || asJSON { try report(isDryRun ? "would be \(verb)" : verb, name, nil) }
        case .unchanged: unchangedCount += 1
        case .skipped(let reason):
            skippedCount += 1
            try report("skipped", name, reason)
        case .failed(let reason):
            failedCount += 1
            try report("failed", name, reason)
        }
        progress.show(
            finished: changedCount + unchangedCount + skippedCount + failedCount, failed: failedCount,
            now: ContinuousClock.now - start)
    }

    private mutating func report(_ outcome: String, _ name: String, _ reason: String?) throws(Console.WriteError) {
        guard asJSON else {
            progress.end()
            return try Console.result([([outcome, name] + (reason.map { [$0] } ?? [])).joined(separator: ": ")])
        }
        var object = JSONOutput()
        object.add("outcome", outcome)
        object.add("device", name)
        if let reason { object.add("reason", reason) }
        try Console.result(object)
    }

    /// Writes the summary.
    ///
    /// - Returns: The exit status: success if no device was skipped or failed.
    func finish() throws(Console.WriteError) -> ExitStatus {
        if asJSON {
            var object = JSONOutput()
            object.add(isDryRun ? "wouldBeChanged" : "changed", Int64(changedCount))
            for (name, count) in [("unchanged", unchangedCount), ("skipped", skippedCount), ("failed", failedCount)] {
                object.add(name, Int64(count))
            }
            object.add("milliseconds", Int64((ContinuousClock.now - start) / .milliseconds(1)))
            try Console.result(object)
        } else {
            var parts = ["\(changedCount) \(isDryRun ? "would be " : "")\(verb)"]
            if unchangedCount > 0 { parts.append("\(unchangedCount) unchanged") }
            if skippedCount > 0 { parts.append("\(skippedCount) skipped") }
            if failedCount > 0 { parts.append("\(failedCount) failed") }
            try Console.result([parts.joined(separator: ", ")])
        }
        return skippedCount + failedCount == 0 ? .success : .failure
    }

    /// Returns the outcome of a change, or throws if its error is not caused by the device.
    private static func outcome(of change: () async throws -> Outcome) async throws -> Outcome {
        do {
            return try await change()
        } catch {
            guard case .rejected(let reason) = WriteOutcome(error) else { throw error }
            return .failed(reason)
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
        isDryRun = arguments.flag("--dry-run")
        isConfirmed = arguments.flag("--yes")
        asJSON = arguments.flag("--json")
    }

    /// Asks the user to confirm a change, unless `--yes` or `--dry-run` is given.
    ///
    /// - Returns: Whether to continue.
    /// - Throws: `UsageError` if the user cannot be asked.
    func confirm(_ question: String) throws(UsageError) -> Bool {
        if isDryRun || isConfirmed { return true }
        guard Console.readsTerminal, Terminal.showsErrors else {
            throw UsageError("\(question) Without a terminal, pass --yes to confirm, or --dry-run to list the devices")
        }
        Console.error("\(question) Type yes to continue:")
        return readLine()?.utf8.elementsEqual("yes".utf8) ?? false
    }
}

extension Command.OptionGroup {
    /// Returns the options of commands that change many devices.
    static func changes(_ options: [CommandOption] = []) -> Self {
        Self(
            options + [
                .init("--dry-run", help: "List the devices that would be changed, and change nothing."),
                .init("--yes", help: "Do not ask for confirmation."), .concurrency,
                .init(
                    "--json",
                    help: """
                        Print a JSON object for each device (outcome, device, reason), and a summary with changed \
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
