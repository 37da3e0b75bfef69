extension PushNotification {
    /// A visible notification for Apple devices (Apple, "Generating a remote notification").
    ///
    /// ```swift
    /// var alert = PushNotification.AppleAlert(title: "Goal", body: "2:1", sound: .default, data: ["match": 7])
    /// alert.threadID = "match-7"
    /// try await hub.send(.apple(alert: alert), to: .tag("football"))
    /// ```
    public struct AppleAlert: Hashable, Sendable {
        /// The title.
        public var title: Text?
        /// The second line.
        public var subtitle: Text?
        /// The message.
        public var body: Text?
        /// The number on the app's icon; 0 removes it, and `nil` leaves it unchanged.
        public var badge: Int?
        /// The sound; `nil` for none.
        public var sound: Sound?
        /// The app's own members, next to `aps`.
        public var data: JSONObject
        /// The group in which the device shows the notification (`thread-id`).
        public var threadID: String?
        /// The app's category of the notification, which determines its actions.
        public var category: String?
        /// The importance and delivery timing; `nil` for Apple's default, `active`.
        public var interruptionLevel: InterruptionLevel?
        /// The notification's rank in a summary, from 0 to 1.
        public var relevanceScore: Double?
        /// Whether the app's notification service extension can change the notification before it appears (`mutable-content`).
        public var isMutable = false
        /// Whether the app also wakes in the background (`content-available`).
        public var wakesApp = false
        /// The ID of the window to bring forward (`target-content-id`).
        public var targetContentID: String?
        /// The criteria that a Focus filters by (`filter-criteria`).
        public var filterCriteria: String?

        /// Creates an alert. At least one of the texts, the badge and the sound is required.
        public init(
            title: Text? = nil, subtitle: Text? = nil, body: Text? = nil, badge: Int? = nil, sound: Sound? = nil,
            data: JSONObject = [:]
        ) {
            self.title = title
            self.subtitle = subtitle
            self.body = body
            self.badge = badge
            self.sound = sound
            self.data = data
        }

        /// A string to show unchanged, or the key of a localized string of the app. A literal is shown unchanged.
        public enum Text: Hashable, Sendable, ExpressibleByStringInterpolation {
            /// A string to show unchanged.
            case text(String)
            /// A key of the app's `Localizable.strings`, and the values for its placeholders.
            case localized(key: String, arguments: [String] = [])

            /// Creates a string to show unchanged.
            public init(stringLiteral text: String) { self = .text(text) }
        }

        /// A sound.
        public struct Sound: Hashable, Sendable {
            private let name: String
            private let criticalVolume: Double?

            /// The system's sound.
            public static let `default` = Sound(name: "default", criticalVolume: nil)

            /// Returns a sound of the app, by the name of its file.
            public static func named(_ name: String) -> Sound { Sound(name: name, criticalVolume: nil) }

            /// Returns a sound that ignores the mute switch and Do Not Disturb. It requires an entitlement from Apple.
            ///
            /// - Parameters:
            ///   - name: The name of the sound's file.
            ///   - volume: The volume, from 0 to 1.
            public static func critical(named name: String = "default", volume: Double = 1) -> Sound {
                Sound(name: name, criticalVolume: volume)
            }

            func json() throws(HubValidationError) -> JSONValue {
                guard let criticalVolume else { return .string(name) }
                let volume = try criticalVolume.appleFraction(at: "aps/sound/volume")
                return ["critical": 1, "name": .string(name), "volume": .number(volume)]
            }
        }

        /// The importance and delivery timing.
        public struct InterruptionLevel: RawRepresentable, Hashable, Sendable {
            /// Apple's name of the level.
            public let rawValue: String

            /// Creates a level from Apple's name.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// In the list of notifications only, without light or sound.
            public static let passive = InterruptionLevel(rawValue: "passive")
            /// At once, with light and sound.
            public static let active = InterruptionLevel(rawValue: "active")
            /// At once, also during a Focus. It requires a capability of the app.
            public static let timeSensitive = InterruptionLevel(rawValue: "time-sensitive")
            /// At once, even if the device is muted. It requires an entitlement from Apple.
            public static let critical = InterruptionLevel(rawValue: "critical")
        }
    }
}

extension PushNotification.AppleAlert {
    /// The member `aps`.
    func aps() throws(HubValidationError) -> JSONObject {
        var alert: JSONObject = [:]
        title?.write(to: &alert, "title", key: "title-loc-key", arguments: "title-loc-args")
        subtitle?.write(to: &alert, "subtitle", key: "subtitle-loc-key", arguments: "subtitle-loc-args")
        body?.write(to: &alert, "body", key: "loc-key", arguments: "loc-args")
        guard !alert.isEmpty || badge != nil || sound != nil else {
            throw HubValidationError(
                .invalidPayload,
                "an alert must have a title, subtitle, body, badge or sound: use apple(backgroundData:) to wake the app",
                path: "aps")
        }
        if let badge, badge < 0 {
            throw HubValidationError(.invalidPayload, "must not be negative", path: "aps/badge")
        }
        var aps: JSONObject = [:]
        aps["alert"] = alert.isEmpty ? nil : .object(alert)
        aps["badge"] = badge.map { .number(JSONNumber($0)) }
        if let sound { aps["sound"] = try sound.json() }
        aps["thread-id"] = threadID.map { .string($0) }
        aps["category"] = category.map { .string($0) }
        aps["interruption-level"] = interruptionLevel.map { .string($0.rawValue) }
        if let relevanceScore {
            aps["relevance-score"] = .number(try relevanceScore.appleFraction(at: "aps/relevance-score"))
        }
        aps["mutable-content"] = isMutable ? 1 : nil
        aps["content-available"] = wakesApp ? 1 : nil
        aps["target-content-id"] = targetContentID.map { .string($0) }
        aps["filter-criteria"] = filterCriteria.map { .string($0) }
        return aps
    }
}

extension PushNotification.AppleAlert.Text {
    fileprivate func write(
        to alert: inout JSONObject, _ name: String, key keyName: String, arguments argumentsName: String
    ) {
        switch self {
        case .text(let text): alert[name] = .string(text)
        case .localized(let key, let arguments):
            alert[keyName] = .string(key)
            alert[argumentsName] = arguments.isEmpty ? nil : .array(arguments.map { .string($0) })
        }
    }
}

extension Double {
    /// Returns the JSON number of a value that Apple limits to 0 to 1.
    fileprivate func appleFraction(at path: String) throws(HubValidationError) -> JSONNumber {
        guard (0...1).contains(self), let number = JSONNumber(self) else {
            throw HubValidationError(.invalidPayload, "must be from 0 to 1", path: path)
        }
        return number
    }
}
