import HubText
package import NotificationHubs

#if canImport(FoundationEssentials)
package import struct FoundationEssentials.Date
#else
package import struct Foundation.Date
#endif

/// A notification with its telemetry.
package struct NotificationRecord: Sendable {
    package let id: PushNotification.ID
    let location: String
    package let message: Message
    /// The tag expression; `nil` for a broadcast or a direct message.
    package let tags: String?
    package let enqueueTime: Date
    private(set) var state = PushNotification.Outcome.State.scheduled
    private(set) var startTime: Date?
    private(set) var endTime: Date?
    /// The numbers of recipients by platform, with the platform's results in the order of the telemetry.
    private var counts: [PushPlatform: [(result: PushNotification.Outcome.DeliveryResult, count: Int)]] = [:]

    init(id: PushNotification.ID, location: String, message: Message, tags: String?, enqueueTime: Date) {
        (self.id, self.location, self.message, self.tags) = (id, location, message, tags)
        self.enqueueTime = enqueueTime
    }

    /// The approximate memory size in bytes.
    var byteCount: Int {
        256 + location.utf8.count + message.headers.byteCount + message.body.utf8.count + (tags?.utf8.count ?? 0)
    }

    /// The number of recipients that received the notification.
    package var deliveredCount: Int { count(of: .success) }

    /// The reasons that devices did not receive the notification; `nil` if all matching devices received it, and for a
    /// notification that was not sent.
    package var failure: String? {
        if state == .noTargetFound { return "no device received it: no registered device matches" }
        let failures = PlatformTable.all.flatMap { row in
            (counts[row.platform] ?? []).filter { $0.result != .success }.map { result, count in
                let devices = count == 1 ? "1 device" : "\(count) devices"
                let cause = result == .expiredChannel ? "the channel has expired" : "rejected by \(row.vendor)"
                return "not delivered to \(devices): \(cause)"
            }
        }
        return failures.isEmpty ? nil : failures.joined(separator: "; ")
    }

    private func count(of result: PushNotification.Outcome.DeliveryResult) -> Int {
        counts.values.reduce(0) { $0 + $1.reduce(0) { $0 + ($1.result == result ? $1.count : 0) } }
    }

    /// Records that the notification was sent.
    mutating func complete(_ result: SendResult, now: Date) {
        for (result, recipients) in result.recipients {
            let countsByPlatform = Dictionary(recipients.lazy.map { ($0.channel.platform, 1) }, uniquingKeysWith: +)
            for (platform, count) in countsByPlatform { counts[platform, default: []].append((result, count)) }
        }
        state = counts.isEmpty ? .noTargetFound : .completed
        (startTime, endTime) = (now, now)
    }

    /// Records that the notification was cancelled before it was sent.
    mutating func cancel(now: Date) {
        state = .cancelled
        endTime = now
    }

    /// The telemetry's XML, with its elements in the order of the service's data contract.
    var xml: String {
        func element(_ name: String, _ text: String?) -> String {
            text.map { "<\(name)>\(XMLText.escaped($0))</\(name)>" } ?? ""
        }
        func time(_ date: Date?) -> String? { date.flatMap { Timestamp($0)?.text } }
        let platforms = message.format == .template ? counts.keys.map(\.format).sorted() : [message.format.name]
        let head =
            element("NotificationId", "\(id)") + element("Location", location) + element("State", state.rawValue)
            + element("EnqueueTime", time(enqueueTime)) + element("StartTime", time(startTime))
            + element("EndTime", time(endTime)) + element("NotificationBody", message.body) + element("Tags", tags)
            + element("TargetPlatforms", platforms.isEmpty ? nil : platforms.joined(separator: ","))
        let outcomes = PlatformTable.all.compactMap { row in
            counts[row.platform].map { counts in
                let outcomes = counts.map { "<Outcome><Name>\($0)</Name><Count>\($1)</Count></Outcome>" }
                return "<\(row.outcomeElement)>\(outcomes.joined())</\(row.outcomeElement)>"
            }
        }
        return "<NotificationDetails xmlns=\"\(Atom.serviceNamespace)\" xmlns:i=\"\(Atom.instanceNamespace)\">"
            + head + outcomes.joined() + "</NotificationDetails>"
    }
}

/// The body of the response to a test send.
enum TestOutcome {
    static func xml(of result: SendResult) -> String {
        let successText = "The Notification was successfully sent to the Push Notification System"
        let outcomes = result.recipients.flatMap { name, recipients in
            recipients.map { ($0, name == .success ? successText : name.rawValue) }
        }
        let results = outcomes.map { recipient, outcome in
            "<RegistrationResult><ApplicationPlatform>\(recipient.channel.platform)</ApplicationPlatform>"
                + "<PnsHandle>\(XMLText.escaped(recipient.channel.handle))</PnsHandle>"
                + "<RegistrationId>\(recipient.registrationID)</RegistrationId>"
                + "<Outcome>\(outcome)</Outcome>"
                + "</RegistrationResult>"
        }
        return "<NotificationOutcome xmlns=\"\(Atom.serviceNamespace)\" xmlns:i=\"\(Atom.instanceNamespace)\">"
            + "<Success>\(result.delivered.count)</Success>"
            + "<Failure>\(outcomes.count - result.delivered.count)</Failure>"
            + (results.isEmpty ? "<Results/>" : "<Results>\(results.joined())</Results>") + "</NotificationOutcome>"
    }
}
