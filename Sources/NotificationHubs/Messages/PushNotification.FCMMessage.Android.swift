extension PushNotification.FCMMessage {
    /// Settings for Android devices (Google, "AndroidConfig").
    public struct Android: Hashable, Sendable {
        /// The priority; `nil` for Firebase's default.
        public var priority: Priority?
        /// The time for which Firebase stores the message for an offline device, from 0 to 28 days; `nil` for 28 days. With 0, the
        /// device receives the message at once or never.
        public var timeToLive: Duration?
        /// The collapse key: of stored messages with the same key, only the last is delivered.
        public var collapseKey: String?
        /// The package name of the only app that may receive the message.
        public var restrictedPackageName: String?
        /// The notification that Android shows.
        public var notification: Notification?

        /// Creates settings.
        public init(
            priority: Priority? = nil, timeToLive: Duration? = nil, collapseKey: String? = nil,
            restrictedPackageName: String? = nil, notification: Notification? = nil
        ) {
            self.priority = priority
            self.timeToLive = timeToLive
            self.collapseKey = collapseKey
            self.restrictedPackageName = restrictedPackageName
            self.notification = notification
        }

        /// The priority of a message.
        public struct Priority: RawRepresentable, Hashable, Sendable {
            /// Google's name of the priority.
            public let rawValue: String

            /// Creates a priority from Google's name.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// Android can delay the message while the device sleeps.
            public static let normal = Priority(rawValue: "NORMAL")
            /// The message wakes the device. The app must then show a notification.
            public static let high = Priority(rawValue: "HIGH")
        }

        /// A notification that Android shows (Google, "AndroidNotification"). Members that are `nil` use the values of the message's notification.
        public struct Notification: Hashable, Sendable {
            /// The title.
            public var title: String?
            /// The message.
            public var body: String?
            /// The ID of a notification channel that the app has created; `nil` for the app's default channel.
            public var channelID: String?
            /// The name of the icon's resource.
            public var icon: String?
            /// The color of the icon, such as `#ff0000`.
            public var color: String?
            /// The sound: `default` or the name of a resource.
            public var sound: String?
            /// The tag: a notification replaces a shown one with the same tag.
            public var tag: String?
            /// The intent action of the activity to open when the user taps the notification.
            public var clickAction: String?
            /// The URL of an image, which the device downloads.
            public var image: String?

            /// Creates a notification.
            public init(
                title: String? = nil, body: String? = nil, channelID: String? = nil, icon: String? = nil,
                color: String? = nil, sound: String? = nil, tag: String? = nil, clickAction: String? = nil,
                image: String? = nil
            ) {
                self.title = title
                self.body = body
                self.channelID = channelID
                self.icon = icon
                self.color = color
                self.sound = sound
                self.tag = tag
                self.clickAction = clickAction
                self.image = image
            }
        }
    }
}

extension PushNotification.FCMMessage.Android {
    var json: JSONObject {
        var android = JSONObject(present: [
            ("priority", priority?.rawValue), ("collapse_key", collapseKey),
            ("restricted_package_name", restrictedPackageName),
        ])
        android["ttl"] = timeToLive.map { .string(Self.text(of: $0)) }
        android["notification"] = notification.map { .object($0.json) }
        return android
    }

    /// Returns a duration in seconds as Google writes it, such as `3.5s`, rounded down to nanoseconds.
    private static func text(of duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        var digits = String(attoseconds.magnitude / 1_000_000_000 + 1_000_000_000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        let sign = duration < .zero ? "-" : ""
        return "\(sign)\(seconds.magnitude)" + (digits.isEmpty ? "" : ".\(digits)") + "s"
    }
}

extension PushNotification.FCMMessage.Android.Notification {
    fileprivate var json: JSONObject {
        JSONObject(present: [
            ("title", title), ("body", body), ("channel_id", channelID), ("icon", icon), ("color", color),
            ("sound", sound), ("tag", tag), ("click_action", clickAction), ("image", image),
        ])
    }
}

extension JSONObject {
    /// Creates an object of the strings that are not `nil`.
    init(present members: [(String, String?)]) {
        self.init()
        for case (let name, let text?) in members { self[name] = .string(text) }
    }
}
