import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is known of a notification.
struct NotificationRecord: Sendable {
    let id: PushNotification.ID
    let location: String
    let message: Message
    /// The tag expression; `nil` for everyone and for devices by their handles.
    let tags: String?
    let enqueueTime: Date
    private(set) var state = PushNotification.Outcome.State.scheduled
    private(set) var startTime: Date?
    private(set) var endTime: Date?
    /// How many devices took it, and how many their platforms have refused, by platform.
    private var counts: [PushPlatform: (reached: Int, expired: Int)] = [:]

    init(id: PushNotification.ID, location: String, message: Message, tags: String?, enqueueTime: Date) {
        (self.id, self.location, self.message, self.tags) = (id, location, message, tags)
        self.enqueueTime = enqueueTime
    }

    /// About how much memory it takes.
    var byteCount: Int {
        let texts = message.headers.reduce(location.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        return 256 + texts + message.body.utf8.count + (tags?.utf8.count ?? 0)
    }

    /// It was sent.
    mutating func complete(_ reach: Reach, now: Date) {
        state = reach.reached.isEmpty && reach.expired.isEmpty ? .noTargetFound : .completed
        (startTime, endTime) = (now, now)
        for recipient in reach.reached { counts[recipient.channel.platform, default: (0, 0)].reached += 1 }
        for recipient in reach.expired { counts[recipient.channel.platform, default: (0, 0)].expired += 1 }
    }

    /// It was taken back before its time.
    mutating func cancel(now: Date) {
        state = .cancelled
        endTime = now
    }

    /// The telemetry as the service writes it, elements in the order of its data contract.
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
            counts[row.platform].map { count in
                let outcomes = [("Success", count.reached), ("ExpiredChannel", count.expired)].filter { $0.1 > 0 }
                    .map { "<Outcome><Name>\($0)</Name><Count>\($1)</Count></Outcome>" }
                return "<\(row.outcomeElement)>\(outcomes.joined())</\(row.outcomeElement)>"
            }
        }
        return "<NotificationDetails xmlns=\"\(Self.namespace)\" xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\">"
            + head + outcomes.joined() + "</NotificationDetails>"
    }

    static let namespace = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"
}

/// What the service answers to a test send.
enum TestOutcome {
    static func xml(of reach: Reach) -> String {
        let words = "The Notification was successfully sent to the Push Notification System"
        let outcomes = reach.reached.map { ($0, words) } + reach.expired.map { ($0, "ExpiredChannel") }
        let results = outcomes.map { recipient, outcome in
            "<RegistrationResult><ApplicationPlatform>\(recipient.channel.platform)</ApplicationPlatform>"
                + "<PnsHandle>\(XMLText.escaped(recipient.channel.handle))</PnsHandle>"
                + "<RegistrationId>\(recipient.registrationID)</RegistrationId>"
                + "<Outcome>\(outcome)</Outcome>"
                + "</RegistrationResult>"
        }
        return "<NotificationOutcome xmlns=\"\(NotificationRecord.namespace)\""
            + " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\">"
            + "<Success>\(reach.reached.count)</Success><Failure>\(reach.expired.count)</Failure>"
            + (results.isEmpty ? "<Results/>" : "<Results>\(results.joined())</Results>") + "</NotificationOutcome>"
    }
}
