#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
public import struct FoundationEssentials.UUID
#else
public import struct Foundation.Date
public import struct Foundation.UUID
#endif

extension PushNotification {
    /// The headers of a notification to Apple's devices (Apple, "Sending notification requests to APNs").
    public struct AppleOptions: Hashable, Sendable {
        /// `apns-push-type`: what kind of notification it is. If `nil`, the payload decides: ``PushType/background`` if its
        /// `aps` has `"content-available":1` and no `alert`, `badge` or `sound`, else ``PushType/alert``.
        public var pushType: PushType?
        /// `apns-priority`. If `nil`: 5 for ``PushType/background``, 10 for ``PushType/alert``, else none, which Apple takes
        /// for 10.
        public var priority: Priority?
        /// `apns-expiration`: until when Apple tries to deliver it. If `nil`, Apple decides.
        public var expiration: Expiration?
        /// `apns-topic`: the app's bundle id, with what the push type appends to it. If `nil`, the service's.
        public var topic: String?
        /// `apns-collapse-id`: of the notifications of one id a device shows the last; 64 bytes at most.
        public var collapseID: String?
        /// `apns-id`: Apple's id for the notification. Not for more than one device.
        public var id: UUID?
        /// Further headers; each name begins with `apns-`.
        public var additionalHeaders: [String: String]

        /// The longest collapse id that Apple takes, in bytes.
        public static let maximumCollapseIDLength = 64

        /// Headers; what is not given is decided as the properties say.
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

        /// A kind of notification, by Apple's name.
        public struct PushType: RawRepresentable, Hashable, Sendable {
            /// Apple's name.
            public let rawValue: String

            /// A kind by Apple's name.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// Something is shown, or heard.
            public static let alert = PushType(rawValue: "alert")
            /// The app is woken, and nothing is shown.
            public static let background = PushType(rawValue: "background")
            /// An incoming call.
            public static let voip = PushType(rawValue: "voip")
            /// A watch's complication has news.
            public static let complication = PushType(rawValue: "complication")
            /// A file provider's files have changed.
            public static let fileProvider = PushType(rawValue: "fileprovider")
            /// Device management.
            public static let mdm = PushType(rawValue: "mdm")
            /// The device's location is asked for.
            public static let location = PushType(rawValue: "location")
            /// A Live Activity begins, changes or ends.
            public static let liveActivity = PushType(rawValue: "liveactivity")
            /// Push to Talk.
            public static let pushToTalk = PushType(rawValue: "pushtotalk")
        }

        /// How urgent it is.
        public struct Priority: RawRepresentable, Hashable, Sendable {
            /// The header's value.
            public let rawValue: Int

            /// Creates a priority from the header's value.
            public init(rawValue: Int) { self.rawValue = rawValue }

            /// Power has precedence: the device does not wake.
            public static let low = Priority(rawValue: 1)
            /// Power is considered.
            public static let normal = Priority(rawValue: 5)
            /// Immediately.
            public static let immediate = Priority(rawValue: 10)
        }

        /// Until when Apple tries to deliver.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Expiration: Hashable, Sendable {
            /// Once; it is not stored.
            case once
            /// Until a time: whole seconds, from 1970 to January 2038.
            case at(Date)
        }
    }
}

extension PushNotification.AppleOptions {
    /// The headers for a payload.
    func headers(for payload: JSONObject) throws(HubValidationError) -> [PushNotification.Header] {
        let pushType = pushType ?? (payload.isSilentForApple ? .background : .alert)
        let ownPriority: Priority? = pushType == .background ? .normal : pushType == .alert ? .immediate : nil
        guard pushType != .background || priority != .immediate else {
            throw HubValidationError(
                .invalidHeader, "Apple rejects a background notification of priority 10", path: "apns-priority")
        }
        guard collapseID.map({ $0.utf8.count <= Self.maximumCollapseIDLength }) ?? true else {
            throw HubValidationError(
                .invalidHeader, "at most \(Self.maximumCollapseIDLength) bytes", path: "apns-collapse-id")
        }
        let values: [(String, String?)] = [
            ("apns-push-type", pushType.rawValue),
            ("apns-priority", (priority ?? ownPriority).map { String($0.rawValue) }),
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
            // The service reads 32 bits.
            guard let seconds = Int32(exactly: date.timeIntervalSince1970.rounded(.down)), seconds > 0 else {
                throw HubValidationError(
                    .invalidHeader, "must be between 1970 and January 2038", path: "apns-expiration")
            }
            return String(seconds)
        }
    }
}

extension JSONObject {
    /// Whether nothing is to be shown, heard or counted.
    fileprivate var isSilentForApple: Bool {
        guard case .object(let aps)? = self["aps"], aps["content-available"] == .number(.init(1)) else { return false }
        return ["alert", "badge", "sound"].allSatisfy { aps[$0] == nil }
    }
}
