public import NotificationHubs

/// How payloads reach a user's own devices without passing through a push service: they are kept here, and a notification says
/// no more than an id, as `secureId`.
///
/// - Apple's devices get a silent notification, `{"aps":{"content-available":1},"secureId":"…"}` of push type `background` and
///   priority 5, or a visible one, see ``Announcement``.
/// - Android's get an FCM v1 data message, `{"message":{"data":{"secureId":"…"},"android":{"priority":"high"}}}`.
/// - Windows' get a raw notification, the id alone.
public struct SecurePush: Sendable {
    /// Where the payloads are kept.
    public let store: any SecurePayloadStore
    /// For how long.
    public let lifetime: Duration
    /// Whether each device gets a payload once; it then says which it is, by the query `?device=…` of its registration's or
    /// installation's id, or any other name of 1 to 256 characters of printable ASCII without spaces.
    ///
    /// What is lost on the way to the device is lost then. It keeps a device from showing a payload twice; it does not
    /// keep the user, whose payload it is, from making up another device.
    public let isReadOnce: Bool
    /// What Apple's devices show.
    public let announcement: Announcement
    /// The platforms that notifications are sent for, of `apns`, `fcmV1` and `wns`.
    public let platforms: Set<PushPlatform>

    /// What Apple's devices show when a payload has come.
    public enum Announcement: Hashable, Sendable {
        /// Nothing: the app is woken, and shows the payload when it has fetched it. Apple delivers such notifications when it
        /// sees fit.
        case silent
        /// A general text, such as `You have a new message`, delivered at once with `mutable-content`: the app's notification
        /// service extension fetches the payload and puts it in the text's place.
        case alert(String)
    }

    /// Secure push; without arguments but a store, payloads of a day, silent, for three platforms.
    ///
    /// - Parameters:
    ///   - store: where the payloads are kept.
    ///   - lifetime: for how long; more than zero.
    ///   - isReadOnce: whether each device gets a payload once.
    ///   - announcement: what Apple's devices show.
    ///   - platforms: those that notifications are sent for: one at least, and none but `apns`, `fcmV1` and `wns`.
    public init(
        store: any SecurePayloadStore, lifetime: Duration = .seconds(24 * 3600), isReadOnce: Bool = false,
        announcement: Announcement = .silent, platforms: Set<PushPlatform> = [.apple, .fcmV1, .windows]
    ) {
        precondition(lifetime > .zero, "a payload without a lifetime reaches nobody")
        precondition(
            !platforms.isEmpty && platforms.isSubset(of: [.apple, .fcmV1, .windows]),
            "devices are told of a payload by apns, fcmV1 or wns")
        self.store = store
        self.lifetime = lifetime
        self.isReadOnce = isReadOnce
        self.announcement = announcement
        self.platforms = platforms
    }

    /// What tells devices of a payload.
    func notifications(of id: SecurePayload.ID) throws -> [PushNotification] {
        let secureID = ("secureId", NotificationHub.JSONValue.string(id.text))
        func json(_ members: (String, NotificationHub.JSONValue)...) -> NotificationHub.JSONValue {
            var object = NotificationHub.JSONObject()
            for (name, value) in members { object[name] = value }
            return .object(object)
        }
        let one = NotificationHub.JSONValue.number(.init(1))
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
        if platforms.contains(.windows) { notifications.append(try .windowsRaw(id.text.utf8)) }
        return notifications
    }
}
