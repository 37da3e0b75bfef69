import HubCommandLine
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// `nhub outcome`: says what became of a message.
enum OutcomeCommand: Subcommand {
    static let name = "outcome"
    static let summary = "Say what became of a message."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let caFile = try arguments.caFile()
        let asJSON = arguments.flag("--json")
        let showsErrorDetails = arguments.flag("--error-details")
        let patience = try patience(&arguments)
        let id = try CancelCommand.notificationID(&arguments)
        let hub = try HubSettings.fromEnvironment(caFile: caFile).hub()
        return try await Interrupt.endingEarly {
            let outcome: PushNotification.Outcome?
            if let patience {
                outcome = try await wait(for: id, of: hub, patience)
            } else {
                outcome = try await hub.outcome(of: id)
            }
            try outcome.map { outcome throws(Console.Unwritable) in
                try OutcomeReport(outcome, showsErrorDetails: showsErrorDetails).write(asJSON: asJSON)
            }
            if let patience, !(outcome?.state?.isTerminal ?? false) {
                let what =
                    outcome == nil ? "the hub knows nothing of the message" : "the message has not come to its end"
                throw StillUnderWay(description: "after \(patience.seconds) s, \(what)")
            }
            return .success
        }
    }

    /// How long to wait for an end: half an hour where nothing is said, since the service may take as long to know.
    private static func patience(_ arguments: inout Arguments) throws(UsageError) -> TimeSpan? {
        let waits = arguments.flag("--wait")
        if let text = try arguments.value(of: "--wait") { return try TimeSpan(text, of: "--wait") }
        return waits ? try TimeSpan("30m", of: "--wait") : nil
    }

    /// Asks again and again. Each new state is told to whoever looks on.
    private static func wait(
        for id: PushNotification.ID, of hub: NotificationHub, _ patience: TimeSpan
    ) async throws -> PushNotification.Outcome? {
        var last: PushNotification.Outcome?
        // Ten seconds are what the service's documentation advises.
        let interval = Duration.seconds(min(10, max(1, patience.seconds / 10)))
        for try await outcome in hub.outcomes(of: id, every: interval, timeout: .seconds(patience.seconds)) {
            if let state = outcome.state, state != last?.state, !state.isTerminal { Console.error("nhub: \(state)") }
            last = outcome
        }
        return last
    }

    private struct StillUnderWay: Error, CustomStringConvertible {
        let description: String
    }
}

/// All that the hub says of a message.
struct OutcomeReport {
    private let outcome: PushNotification.Outcome
    private let showsErrorDetails: Bool

    /// - Parameter showsErrorDetails: whether to print the URL of the list of errors, which is a secret.
    init(_ outcome: PushNotification.Outcome, showsErrorDetails: Bool) {
        self.outcome = outcome
        self.showsErrorDetails = showsErrorDetails
    }

    func write(asJSON: Bool) throws(Console.Unwritable) {
        var fields = Fields()
        fields.add("notification id", "notificationId", outcome.notificationID?.rawValue)
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
            fields.addLine("error details", "there is a list; --error-details shows its URL, which is a secret")
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
