import HubCommandLine
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

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
