public import NotificationHubs

extension AppBackend {
    /// The kind of notifications that `POST /api/notifications` sends to the caller's own devices.
    public struct Mode: Sendable {
        enum Kind: Sendable {
            /// Sends an alert to each platform, after its check.
            case alerts
            /// Sends the notifications that the function returns for a message.
            case notifyUsers(@Sendable (_ message: String) throws -> [PushNotification])
            case securePush(SecurePush)
        }

        let kind: Kind

        /// Sends the notifications that a closure builds from the message.
        ///
        /// The default is an alert on Apple's devices, a notification with `data.message` through FCM v1, and a toast on Windows. The
        /// response is 413 for a message that one of these platforms would refuse: Firebase accepts about 2 KB, since it receives
        /// the message twice.
        /// A hub without credentials for one of the three platforms may reject its notification; in this case, pass a closure:
        ///
        /// ```swift
        /// .notifyUsers { [try .apple(.json(encoding: ["aps": ["alert": $0]]))] }  // Apple's devices only
        /// .notifyUsers { [.template(["message": $0])] }                           // devices with templates only
        /// ```
        ///
        /// - Parameter build: A closure that returns the notifications for a message. A device gets each one that applies to it:
        ///   a device with a template gets both a template notification and a native one.
        public static func notifyUsers(
            _ build: (@Sendable (_ message: String) throws -> [PushNotification])? = nil
        ) -> Mode {
            Mode(kind: build.map { .notifyUsers($0) } ?? .alerts)
        }

        /// Stores the message in the backend, and sends only its ID, as `secureId`. The payload does not pass through a push
        /// service.
        ///
        /// - Apple's devices get a silent notification, `{"aps":{"content-available":1},"secureId":"…"}` with push type
        ///   `background` and priority 5, or a visible one; see ``AppBackend/Announcement``.
        /// - Android devices get an FCM v1 data message,
        ///   `{"message":{"data":{"secureId":"…"},"android":{"priority":"HIGH"}}}`.
        /// - Windows devices get a raw notification that contains only the ID.
        ///
        /// - Parameters:
        ///   - store: The store that keeps the payloads.
        ///   - lifetime: The time after which a payload expires; must be positive.
        ///   - isReadOnce: Whether each device can read a payload only once. A device then identifies itself by the query
        ///     `?device=…`: the ID of its registration or installation, or any other 1 to 256 characters of printable ASCII
        ///     without spaces. A response that does not reach the device cannot be read again. Users can make up device IDs, so
        ///     this does not prevent a user from reading a payload repeatedly.
        ///   - announcement: The announcement on Apple's devices.
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

        static func alerts(_ message: String) throws -> [PushNotification] {
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

    /// The kind of notification that announces a payload on Apple's devices.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Announcement: Hashable, Sendable {
        /// A silent notification: the app wakes, fetches the payload and shows it. Apple may delay such notifications.
        case silent
        /// A generic text, such as `You have a new message`, delivered immediately with `mutable-content`: the app's
        /// notification service extension fetches the payload and replaces the text.
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

    /// Returns the notifications that announce a payload.
    func notifications(of id: SecurePayload.ID) throws -> [PushNotification] {
        let secureID = id.rawValue
        var notifications: [PushNotification] = []
        if platforms.contains(.apple) {
            switch announcement {
            case .silent:
                notifications.append(
                    try .apple(backgroundData: ["secureId": .string(secureID)], options: .init(priority: .normal)))
            case .alert(let text):
                var alert = PushNotification.AppleAlert(body: .text(text), data: ["secureId": .string(secureID)])
                alert.isMutable = true
                notifications.append(try .apple(alert: alert, options: .init(priority: .immediate)))
            }
        }
        if platforms.contains(.fcmV1) {
            notifications.append(
                try .fcmV1(message: .init(data: ["secureId": secureID], android: .init(priority: .high))))
        }
        if platforms.contains(.windows) { notifications.append(try .windowsRaw(id.rawValue.utf8)) }
        return notifications
    }
}
