import HubServer
import NotificationHubsEmulator
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

extension ControlAPI {
    /// Returns the page's update for a hub when it has changed since the one that the query describes, or when the wait ends.
    func updates(_ query: QueryString) throws(ControlError) -> HTTPAction {
        let hub = try hub(query["hub"])
        let known = KnownToPage(
            revision: query["revision"], delivery: try query.number("deliveries") ?? 0,
            warning: try query.number("warnings") ?? 0, message: try query.number("messages") ?? 0,
            request: try query.number("requests") ?? 0)
        let filter = query["filter"] ?? ""
        guard filter.utf8.count <= 1000 else { throw ControlError(400, "the filter has more than 1000 bytes") }
        let log = requestLog
        let respond = { @Sendable in HTTPAction.respond(.json(Updates(hub, log, since: known, filter: filter).json)) }
        let hasChanged = { @Sendable in "\(hub.revision)" != known.revision || log.count != known.request }
        let wait = try query.wait()
        if wait == .zero || hasChanged() { return respond() }
        return .poll(
            HTTPPoll(
                timeout: wait, changes: [hub.changes, log.changes], timeToNextCheck: { hub.timeToNextCheck },
                check: { hasChanged() ? respond() : nil }, onTimeout: respond))
    }
}

/// The position of the page in the hub's events.
private struct KnownToPage: Sendable {
    /// The page's revision; `nil` if it has none.
    let revision: String?
    /// The numbers of the last delivery, warning, message and request.
    let delivery, warning, message, request: Int
}

extension HubEmulator {
    /// The time after which a waiting request is checked without a change; `nil` if no work is due later. At most one second, because
    /// the hub's clock can be set.
    var timeToNextCheck: Duration? { timeToNextWork.map { min($0, .seconds(1)) } }
}

/// The part of a hub's state that the page has not received.
private struct Updates: Sendable {
    /// The maximum number of elements of each kind, as on the page.
    private static let limit = 200

    private let revision: String
    /// The first installations and registrations; `nil` if the page has them.
    private let devices: (installations: [Installation], registrations: [StoredRegistration])?
    private let deliveries: [DeliveryGroup]
    private let warnings: [HubEmulator.Warning]
    private let scheduled: [(record: NotificationRecord, due: Date)]
    /// The messages that not all matching devices received.
    private let messages: [NotificationRecord]
    private let requests: RecordedRequests
    private var counts: JSONObject

    init(_ hub: HubEmulator, _ log: RequestLog, since known: KnownToPage, filter: String) {
        requests = log.requests(after: known.request)
        // A copy of the state would make the next write copy its collections.
        let (part, newDeliveries) = hub.read { state in
            (StatePart(state, since: known), Array(state.deliveries.after(known.delivery)))
        }
        (revision, devices, counts) = (part.revision, part.devices, part.counts)
        (warnings, scheduled) = (part.warnings, part.scheduled)
        messages = part.messages.filter { $0.failure != nil }.suffix(Self.limit)
        deliveries = DeliveryGroup.groups(of: newDeliveries.filter(by: filter)).suffix(Self.limit)
        counts["lastRequest"] = .integer(requests.last)
    }

    /// The part that is read with the hub's lock.
    private struct StatePart: Sendable {
        let revision: String
        let devices: (installations: [Installation], registrations: [StoredRegistration])?
        let warnings: [HubEmulator.Warning]
        let scheduled: [(record: NotificationRecord, due: Date)]
        let messages: [NotificationRecord]
        let counts: JSONObject

        init(_ state: HubState, since known: KnownToPage) {
            revision = "\(state.revision)"
            let hasDevices = known.revision?.hasPrefix(state.revision.devices + "-") ?? false
            devices =
                hasDevices
                ? nil
                : (
                    state.installations.keys.smallest(Updates.limit).compactMap { state.installations[$0] },
                    state.registrationsByID.keys.smallest(Updates.limit).compactMap { state.registrationsByID[$0] }
                )
            warnings = Array(state.warnings.after(known.warning).suffix(Updates.limit))
            scheduled = state.notifications.scheduledRecords
            messages = state.notifications.sent(after: known.message)
            counts = [
                "installationCount": .integer(state.installations.count),
                "registrationCount": .integer(state.registrationsByID.count),
                "scheduledCount": .integer(scheduled.count),
                "lastDelivery": .integer(state.deliveries.count),
                "oldestDelivery": .integer(state.deliveries.oldestNumber),
                "lastWarning": .integer(state.warnings.count), "oldestWarning": .integer(state.warnings.oldestNumber),
                "lastMessage": .integer(state.notifications.sentCount),
            ]
        }
    }

    var json: JSONObject {
        var object = counts
        object["revision"] = .string(revision)
        object["installations"] = devices.map { .array($0.installations.map(\.summary)) }
        object["registrations"] = devices.map { .array($0.registrations.map(\.json)) }
        object["deliveries"] = .array(deliveries.map { .object($0.json) })
        object["warnings"] = .array(warnings.map(\.json))
        object["scheduled"] = .array(scheduled.prefix(Self.limit).map { .object($0.json(due: $1)) })
        object["failedMessages"] = .array(messages.map { .object($0.failureJSON) })
        object["requests"] = .array(requests.requests.suffix(Self.limit).map { .object($0.json) })
        return object
    }
}

/// Deliveries of one notification that differ only in the device: to 10,000 devices with the same template, for example.
private struct DeliveryGroup: Sendable {
    /// The common part of the deliveries.
    private struct Content: Hashable {
        let notificationID: PushNotification.ID
        let platform: PushPlatform
        let templateName: String?
        let headers: [String: String]
        let body: String

        init(_ delivery: HubEmulator.Delivery) {
            (notificationID, platform) = (delivery.notificationID, delivery.pushChannel.platform)
            (templateName, headers, body) = (delivery.templateName, delivery.headers, delivery.body)
        }
    }

    /// The maximum number of devices that a group names.
    private static let namedDeviceLimit = 20

    private let key: String
    private var newest: HubEmulator.Delivery
    private var count = 0
    private var names: [String] = []

    /// Returns the groups of deliveries, in the order of their last deliveries.
    static func groups(of deliveries: [HubEmulator.Delivery]) -> [DeliveryGroup] {
        var groups: [Content: DeliveryGroup] = [:]
        for delivery in deliveries {
            let content = Content(delivery)
            groups[content, default: DeliveryGroup(key: "\(content.hashValue)", newest: delivery)].add(delivery)
        }
        return groups.values.sorted { $0.newest.number < $1.newest.number }
    }

    private init(key: String, newest: HubEmulator.Delivery) {
        (self.key, self.newest) = (key, newest)
    }

    private mutating func add(_ delivery: HubEmulator.Delivery) {
        newest = delivery
        count += 1
        if names.count < Self.namedDeviceLimit { names.append(delivery.recipientName) }
    }

    /// The last delivery, with the number of deliveries and the names of the first devices.
    var json: JSONObject {
        var object = newest.json(preview: ControlAPI.previewLength)
        object["key"] = .string(key)
        object["count"] = .integer(count)
        object["devices"] = .array(names.map { .string($0) })
        return object
    }
}

extension HubEmulator.Delivery {
    fileprivate var recipientName: String {
        installationID?.rawValue ?? registrationID?.rawValue ?? pushChannel.handle
    }

    /// Returns whether a string occurs in the delivery, ignoring the case of ASCII letters.
    fileprivate func contains(_ text: String) -> Bool {
        let texts =
            [
                body, recipientName, pushChannel.handle, pushChannel.platform.rawValue, "\(notificationID)",
                templateName ?? "",
            ]
            + tags.map(\.rawValue) + headers.flatMap { [$0.key, $0.value] }
        return texts.contains { Array($0.utf8).firstIndex(ignoringCase: text) != nil }
    }
}

extension [HubEmulator.Delivery] {
    /// Returns the deliveries that contain a string; all if it is empty.
    fileprivate func filter(by text: String) -> Self {
        text.isEmpty ? self : filter { $0.contains(text) }
    }
}

extension NotificationRecord {
    /// The message and why devices did not receive it, as a JSON object.
    fileprivate var failureJSON: JSONObject {
        var object = json
        object["date"] = .date(enqueueTime)
        object["deliveries"] = .integer(deliveredCount)
        object["failure"] = failure.map { .string($0) }
        return object
    }
}
