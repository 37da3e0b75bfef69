import HubCommandLine
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// `nhub outcome`: shows the outcome of a message.
enum OutcomeCommand: Subcommand {
    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let connection = try arguments.connection()
        let asJSON = arguments.flag(.json)
        let showsErrorDetails = arguments.flag(.errorDetails)
        let timeout = try timeout(&arguments)
        let id = try CancelCommand.notificationID(&arguments)
        let hub = try connection.settings().hub()
        return try await Interrupt.exitStatus {
            let outcome: PushNotification.Outcome?
            if let timeout {
                outcome = try await wait(for: id, of: hub, timeout)
            } else {
                outcome = try await HubFailure.about("outcome of message \"\(id)\" yet") {
                    try await hub.outcome(of: id)
                }
            }
            try outcome.map { outcome throws(Console.WriteError) in
                try OutcomeReport(outcome, showsErrorDetails: showsErrorDetails).write(asJSON: asJSON)
            }
            if let timeout, !(outcome?.state?.isTerminal ?? false) {
                let state = outcome == nil ? "the hub has no outcome of the message" : "the state is not terminal"
                throw WaitTimeoutError(description: "\(state) after \(timeout.seconds) s")
            }
            return .success
        }
    }

    /// Returns the value of `--wait`. The default is half an hour, the time that the service may take to return an outcome.
    private static func timeout(_ arguments: inout Arguments) throws(UsageError) -> TimeSpan? {
        let waits = arguments.flag(.wait)
        if let text = try arguments.value(of: .wait) { return try TimeSpan(text, of: .wait) }
        return waits ? try TimeSpan("30m", of: .wait) : nil
    }

    /// Polls until the state is terminal, and prints each new state to standard error.
    private static func wait(
        for id: PushNotification.ID, of hub: NotificationHub, _ timeout: TimeSpan
    ) async throws -> PushNotification.Outcome? {
        var last: PushNotification.Outcome?
        // The service's documentation recommends ten seconds.
        let interval = Duration.seconds(min(10, max(1, timeout.seconds / 10)))
        for try await outcome in hub.outcomes(of: id, every: interval, timeout: .seconds(timeout.seconds)) {
            if let state = outcome.state, state != last?.state, !state.isTerminal { Console.error("nhub: \(state)") }
            last = outcome
        }
        return last
    }

    private struct WaitTimeoutError: Error, CustomStringConvertible {
        let description: String
    }
}

/// A report of a message's outcome.
struct OutcomeReport {
    private let outcome: PushNotification.Outcome
    private let showsErrorDetails: Bool

    /// Creates a report.
    ///
    /// - Parameter showsErrorDetails: Whether to include the URL of the error list, which is secret.
    init(_ outcome: PushNotification.Outcome, showsErrorDetails: Bool) {
        self.outcome = outcome
        self.showsErrorDetails = showsErrorDetails
    }

    func write(asJSON: Bool) throws(Console.WriteError) {
        var fields = Fields()
        fields.add("notification ID", "notificationId", outcome.notificationID?.rawValue)
        fields.add("state", "state", outcome.state?.rawValue)
        fields.addMember { $0.add("isTerminal", outcome.state?.isTerminal ?? false) }
        fields.add("enqueued", "enqueueTime", Self.text(outcome.enqueueTime))
        fields.add("started", "startTime", Self.text(outcome.startTime))
        fields.add("ended", "endTime", Self.text(outcome.endTime))
        fields.add("tags", "tags", outcome.tags)
        if !outcome.targetPlatforms.isEmpty {
            fields.addLine("platforms", outcome.targetPlatforms.map(\.format).joined(separator: ", "))
        }
        fields.addMember { $0.add("targetPlatforms", outcome.targetPlatforms.map(\.format)) }
        addCounts(to: &fields)
        fields.add("body", "body", outcome.body)
        fields.add("location", "location", outcome.location)
        if showsErrorDetails {
            fields.add("error details", "errorDetailsUrl", outcome.errorDetailsURL)
        } else if outcome.errorDetailsURL != nil {
            fields.addLine("error details", "available; --error-details shows the URL, which is secret")
            fields.addMember { $0.add("hasErrorDetails", true) }
        }
        try fields.write(asJSON: asJSON)
    }

    private func addCounts(to fields: inout Fields) {
        var platforms = JSONOutput()
        for (platform, results) in outcome.counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            var counts = JSONOutput()
            let results = results.sorted { $0.key.rawValue < $1.key.rawValue }
            for (result, count) in results { counts.add(result.rawValue, Int64(count)) }
            platforms.add(platform.rawValue, counts)
            fields.addLine(platform.rawValue, results.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        }
        fields.addMember { $0.add("counts", platforms) }
    }

    private static func text(_ date: Date?) -> String? {
        date.flatMap { Timestamp($0)?.text }
    }
}
