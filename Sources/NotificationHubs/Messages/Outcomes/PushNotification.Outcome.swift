#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension PushNotification {
    /// What the service knows of a notification that it took: its telemetry. Every part may be missing.
    public struct Outcome: Hashable, Sendable {
        /// The notification's id.
        public let notificationID: String?
        /// The notification's URL, as the service writes it: also of the scheme `sb`. Not to be followed.
        public let location: String?
        /// How far it has come.
        public let state: State?
        /// When the service took it.
        public let enqueueTime: Date?
        /// When it began to send it.
        public let startTime: Date?
        /// When it ended.
        public let endTime: Date?
        /// What was sent.
        public let body: String?
        /// Whom it was sent to: the tag expression.
        public let tags: String?
        /// The platforms that it was for, in the service's words, such as `windows`.
        public let targetPlatforms: [String]
        /// How often what happened, by the platform: `counts[.apns]?[.success]`.
        public let counts: [Platform: [DeliveryResult: Int]]
        /// Where the platforms' errors are listed: the URL of a blob, which is a secret.
        public let errorDetailsURL: String?

        /// How far a notification has come, in the service's words; compared without regard to case.
        public struct State: RawRepresentable, Sendable, CustomStringConvertible {
            /// The service's word.
            public let rawValue: String

            /// A state by the service's word.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// It waits.
            public static let enqueued = State(rawValue: "Enqueued")
            /// It waits for its time.
            public static let scheduled = State(rawValue: "Scheduled")
            /// It is being sent.
            public static let processing = State(rawValue: "Processing")
            /// Counts are there; they may still grow.
            public static let detailedStateAvailable = State(rawValue: "DetailedStateAvailable")
            /// It was sent. Terminal.
            public static let completed = State(rawValue: "Completed")
            /// It was given up. Terminal.
            public static let abandoned = State(rawValue: "Abandoned")
            /// No device was found. Terminal.
            public static let noTargetFound = State(rawValue: "NoTargetFound")
            /// It was cancelled. Terminal.
            public static let cancelled = State(rawValue: "Cancelled")
            /// The service does not know. Not terminal: it may know later.
            public static let unknown = State(rawValue: "Unknown")

            /// Whether nothing will change any more.
            public var isTerminal: Bool {
                [.completed, .abandoned, .noTargetFound, .cancelled].contains(self)
            }

            /// The service's word.
            public var description: String { rawValue }
        }

        /// What happened to a notification at a platform, in the service's words. New ones may come.
        public struct DeliveryResult: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
            /// The service's word.
            public let rawValue: String

            /// A result by the service's word.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// The platform took it.
            public static let success = DeliveryResult(rawValue: "Success")
            /// The platform does not know the handle.
            public static let badChannel = DeliveryResult(rawValue: "BadChannel")
            /// The handle has ended.
            public static let expiredChannel = DeliveryResult(rawValue: "ExpiredChannel")
            /// The handle is of another app.
            public static let wrongChannel = DeliveryResult(rawValue: "WrongChannel")
            /// The platform refused the hub's credentials.
            public static let invalidCredentials = DeliveryResult(rawValue: "InvalidCredentials")
            /// The platform refused the handle.
            public static let invalidToken = DeliveryResult(rawValue: "InvalidToken")
            /// The handle is of the platform's other environment.
            public static let wrongToken = DeliveryResult(rawValue: "WrongToken")
            /// The platform did not understand the body.
            public static let invalidNotificationFormat = DeliveryResult(rawValue: "InvalidNotificationFormat")
            /// The body is too large for the platform.
            public static let invalidNotificationSize = DeliveryResult(rawValue: "InvalidNotificationSize")
            /// Too many notifications.
            public static let throttled = DeliveryResult(rawValue: "Throttled")
            /// The platform dropped it.
            public static let dropped = DeliveryResult(rawValue: "Dropped")
            /// It was left out.
            public static let skipped = DeliveryResult(rawValue: "Skipped")

            /// The service's word.
            public var description: String { rawValue }
        }
    }
}

extension PushNotification.Outcome.State: Hashable {
    /// Compares without regard to case; `Canceled`, which the service writes too, is ``cancelled``.
    public static func == (left: Self, right: Self) -> Bool { left.folded == right.folded }

    /// Hashes without regard to case.
    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }

    private var folded: [UInt8] {
        let bytes = rawValue.utf8.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
        return bytes == Array("canceled".utf8) ? Array("cancelled".utf8) : bytes
    }
}
