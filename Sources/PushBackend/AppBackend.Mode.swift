public import NotificationHubs

extension AppBackend {
    /// What `POST /api/notifications` sends to the caller's own devices.
    public struct Mode: Sendable {
        enum Kind: Sendable {
            /// Sends what the function returns for a message.
            case notifyUsers(@Sendable (_ message: String) throws -> [PushNotification])
            case securePush(SecurePush)
        }

        let kind: Kind

        /// The message itself: an alert on Apple's devices, a notification with `data.message` through FCM v1, and a toast on
        /// Windows.
        ///
        /// Devices with a template get the native notification, too. A hub without credentials for one of the three platforms
        /// may reject its notification: use ``notifyUsers(_:)`` then.
        public static let notifyUsers = Mode(kind: .notifyUsers(alerts))

        /// Notifications that the backend builds from the message.
        ///
        /// ```swift
        /// .notifyUsers { [try .apple(.json(encoding: ["aps": ["alert": $0]]))] }  // Apple's devices only
        /// .notifyUsers { [.template(["message": $0])] }                           // devices with templates only
        /// ```
        ///
        /// - Parameter build: Returns the notifications to send for a message. A device gets each one that fits it: a device
        ///   with a template gets a template notification and a native one.
        public static func notifyUsers(
            _ build: @escaping @Sendable (_ message: String) throws -> [PushNotification]
        ) -> Mode {
            Mode(kind: .notifyUsers(build))
        }

        /// A payload that passes through no push service: the backend keeps it, and the notification contains only its id, as
        /// `secureId`.
        ///
        /// - Apple's devices get a silent notification, `{"aps":{"content-available":1},"secureId":"…"}` with push type
        ///   `background` and priority 5, or a visible one, see ``AppBackend/Announcement``.
        /// - Android devices get an FCM v1 data message,
        ///   `{"message":{"data":{"secureId":"…"},"android":{"priority":"high"}}}`.
        /// - Windows devices get a raw notification with the id alone.
        ///
        /// - Parameters:
        ///   - store: Keeps the payloads.
        ///   - lifetime: The time after which a payload expires; must be positive.
        ///   - isReadOnce: Whether each device gets a payload only once. A device then identifies itself by the query
        ///     `?device=…`: the id of its registration or installation, or any other 1 to 256 characters of printable ASCII
        ///     without spaces. A response that is lost on its way to the device is lost. Users can invent further devices, so
        ///     this does not limit what a user reads.
        ///   - announcement: What Apple's devices show.
        ///   - platforms: The platforms to notify: one or more of `.apple`, `.fcmV1` and `.windows`.
        public static func securePush(
            store: some SecurePayloadStore, lifetime: Duration = .seconds(24 * 3600), isReadOnce: Bool = false,
            announcement: Announcement = .silent, platforms: Set<PushPlatform> = [.apple, .fcmV1, .windows]
        ) -> Mode {
            precondition(lifetime > .zero, "lifetime must be positive")
            precondition(
                !platforms.isEmpty && platforms.isSubset(of: [.apple, .fcmV1, .windows]),
                "platforms must be one or more of .apple, .fcmV1 and .windows")
            let push = SecurePush(
                store: store, lifetime: lifetime, isReadOnce: isReadOnce, announcement: announcement,
                platforms: platforms)
            return Mode(kind: .securePush(push))
        }

        @Sendable private static func alerts(_ message: String) throws -> [PushNotification] {
            let toast = message.utf8.flatMap { byte in
                switch byte {
                case UInt8(ascii: "&"): Array("&amp;".utf8)
                case UInt8(ascii: "<"): Array("&lt;".utf8)
                case UInt8(ascii: ">"): Array("&gt;".utf8)
                default: [byte]
                }
            }
            return [
                try .apple(.json(encoding: ["aps": ["alert": message]])),
                try .fcmV1(
                    .json(encoding: ["message": ["notification": ["body": message], "data": ["message": message]]])),
                try .windows(
                    xml: #"<toast><visual><binding template="ToastText01"><text id="1">"#
                        + String(decoding: toast, as: UTF8.self) + "</text></binding></visual></toast>"),
            ]
        }
    }

    /// What Apple's devices show when a payload is available.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Announcement: Hashable, Sendable {
        /// Nothing: the app wakes, fetches the payload and shows it. Apple delivers such notifications when it sees fit.
        case silent
        /// A general text, such as `You have a new message`, delivered at once with `mutable-content`: the app's notification
        /// service extension fetches the payload and replaces the text.
        case alert(String)
    }
}

/// The settings of ``AppBackend/Mode/securePush(store:lifetime:isReadOnce:announcement:platforms:)``.
struct SecurePush: Sendable {
    let store: any SecurePayloadStore
    let lifetime: Duration
    let isReadOnce: Bool
    let announcement: AppBackend.Announcement
    let platforms: Set<PushPlatform>

    /// The notifications that announce a payload.
    func notifications(of id: SecurePayload.ID) throws -> [PushNotification] {
        let secureID = ("secureId", JSONValue.string(id.rawValue))
        func json(_ members: (String, JSONValue)...) -> JSONValue {
            var object = JSONObject()
            for (name, value) in members { object[name] = value }
            return .object(object)
        }
        let one = JSONValue.number(.init(1))
        var notifications: [PushNotification] = []
        if platforms.contains(.apple) {
            switch announcement {
            case .silent:
                notifications.append(
                    try .apple(
                        .json(json(("aps", json(("content-available", one))), secureID).bytes),
                        options: .init(pushType: .background, priority: .normal)))
            case .alert(let text):
                notifications.append(
                    try .apple(
                        .json(json(("aps", json(("alert", .string(text)), ("mutable-content", one))), secureID).bytes),
                        options: .init(pushType: .alert, priority: .immediate)))
            }
        }
        if platforms.contains(.fcmV1) {
            let android = json(("priority", .string("high")))
            notifications.append(
                try .fcmV1(.json(json(("message", json(("data", json(secureID)), ("android", android)))).bytes)))
        }
        if platforms.contains(.windows) { notifications.append(try .windowsRaw(id.rawValue.utf8)) }
        return notifications
    }
}
