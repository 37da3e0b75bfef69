#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
public import struct FoundationEssentials.UUID
#else
public import struct Foundation.Date
public import struct Foundation.UUID
#endif

extension PushNotification {
    /// The headers of a notification to Apple devices (Apple, "Sending notification requests to APNs").
    public struct AppleOptions: Hashable, Sendable {
        /// The type of the notification (`apns-push-type`).
        ///
        /// If `nil`, it is ``PushType/background`` for a payload whose `aps` has `"content-available":1` and no `alert`,
        /// `badge` or `sound`, and ``PushType/alert`` for any other.
        public var pushType: PushType?
        /// The priority (`apns-priority`).
        ///
        /// If `nil`, it is 5 for ``PushType/background`` and 10 for ``PushType/alert``. For other types, the header is omitted,
        /// which Apple treats as 10.
        public var priority: Priority?
        /// The time when Apple stops trying to deliver (`apns-expiration`); `nil` for Apple's default.
        public var expiration: Expiration?
        /// The topic (`apns-topic`); `nil` for the hub's bundle ID. Microsoft does not support it: a hub does not let a sender set the
        /// topic. For a push type with another topic, use a second hub whose bundle ID has the suffix, such as `.voip`.
        public var topic: String?
        /// The collapse ID (`apns-collapse-id`), at most 64 bytes. A device shows only the last notification with the same ID.
        public var collapseID: String?
        /// Apple's ID of the notification (`apns-id`). Use it only for a send to one device.
        public var id: UUID?
        /// Additional headers. Each name must begin with `apns-`.
        public var additionalHeaders: [String: String]

        /// Creates options. Each property documents its default.
        public init(
            pushType: PushType? = nil, priority: Priority? = nil, expiration: Expiration? = nil, topic: String? = nil,
            collapseID: String? = nil, id: UUID? = nil, additionalHeaders: [String: String] = [:]
        ) {
            self.pushType = pushType
            self.priority = priority
            self.expiration = expiration
            self.topic = topic
            self.collapseID = collapseID
            self.id = id
            self.additionalHeaders = additionalHeaders
        }

        /// The type of a notification.
        public struct PushType: RawRepresentable, Hashable, Sendable {
            /// Apple's name of the type.
            public let rawValue: String

            /// Creates a type from Apple's name.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// An alert, badge or sound.
            public static let alert = PushType(rawValue: "alert")
            /// A silent notification that wakes the app.
            public static let background = PushType(rawValue: "background")
            /// An incoming call.
            public static let voip = PushType(rawValue: "voip")
            /// An update of a watch's complication.
            public static let complication = PushType(rawValue: "complication")
            /// A change of a file provider's files.
            public static let fileProvider = PushType(rawValue: "fileprovider")
            /// A device management command.
            public static let mdm = PushType(rawValue: "mdm")
            /// A request for the device's location.
            public static let location = PushType(rawValue: "location")
            /// The start, update or end of a Live Activity.
            public static let liveActivity = PushType(rawValue: "liveactivity")
            /// An update of a control.
            public static let controls = PushType(rawValue: "controls")
            /// An update of the app's widgets.
            public static let widgets = PushType(rawValue: "widgets")
            /// A Push to Talk notification.
            public static let pushToTalk = PushType(rawValue: "pushtotalk")
        }

        /// The priority of a notification.
        public struct Priority: RawRepresentable, Hashable, Sendable {
            /// The header's value.
            public let rawValue: Int

            /// Creates a priority from the header's value.
            public init(rawValue: Int) { self.rawValue = rawValue }

            /// Low priority: Apple puts the device's power ahead of delivery, and does not wake it.
            public static let low = Priority(rawValue: 1)
            /// Normal priority: delivery considers the device's power.
            public static let normal = Priority(rawValue: 5)
            /// High priority: delivery is immediate.
            public static let immediate = Priority(rawValue: 10)
        }

        /// The time when Apple stops trying to deliver.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Expiration: Hashable, Sendable {
            /// After one attempt, without storing the notification.
            case once
            /// At a time between 1970 and January 2038, rounded down to whole seconds.
            case at(Date)
        }
    }
}

extension PushNotification.AppleOptions {
    /// Returns the headers for a payload; without one, as for template values, only those that have no default.
    func headers(for payload: JSONObject?) throws(HubValidationError) -> [PushNotification.Header] {
        let pushType = pushType ?? payload.map { $0.isSilentForApple ? .background : .alert }
        let defaultPriority: Priority? = pushType == .background ? .normal : pushType == .alert ? .immediate : nil
        guard pushType != .background || priority != .immediate else {
            throw HubValidationError(
                .invalidHeader, "must not be 10 for a background notification", path: "apns-priority")
        }
        guard collapseID.map({ $0.utf8.count <= AppleRules.maximumCollapseIDLength }) ?? true else {
            throw HubValidationError(
                .invalidHeader, "must have at most \(AppleRules.maximumCollapseIDLength) bytes",
                path: "apns-collapse-id")
        }
        let values: [(String, String?)] = [
            ("apns-push-type", pushType?.rawValue),
            ("apns-priority", (priority ?? defaultPriority).map { String($0.rawValue) }),
            ("apns-expiration", try expiration?.headerValue()),
            ("apns-topic", topic),
            ("apns-collapse-id", collapseID),
            ("apns-id", id?.uuidString.lowercased()),
        ]
        var headers: [PushNotification.Header] = []
        for case (let name, let value?) in values { headers.append(try PushNotification.Header(name, value)) }
        return try headers.adding(additionalHeaders, prefix: "apns-")
    }
}

extension PushNotification.AppleOptions.Expiration {
    fileprivate func headerValue() throws(HubValidationError) -> String {
        switch self {
        case .once: return "0"
        case .at(let date):
            // The service reads a 32-bit number.
            guard let seconds = Int32(exactly: date.timeIntervalSince1970.rounded(.down)), seconds > 0 else {
                throw HubValidationError(
                    .invalidHeader, "must be between 1970 and January 2038", path: "apns-expiration")
            }
            return String(seconds)
        }
    }
}

extension JSONObject {
    /// Whether the payload has `"content-available":1` and no alert, badge or sound.
    fileprivate var isSilentForApple: Bool {
        guard case .object(let aps)? = self["aps"], aps["content-available"] == .number(.init(1)) else { return false }
        return ["alert", "badge", "sound"].allSatisfy { aps[$0] == nil }
    }
}
