public import NotificationHubs

/// What a message to a user's own devices is, when its text is what they show.
public struct NotifyUsers: Sendable {
    let notifications: @Sendable (_ message: String) throws -> [PushNotification]

    /// The message as an alert for Apple's devices, as a notification and `data.message` through FCM v1, and as a toast for
    /// Windows.
    ///
    /// Every device gets it by its platform's own words, whether it has a template or not. A hub that has no credentials for
    /// one of the three platforms may refuse what is for it: then say yourself what is sent.
    public init() {
        self.init(Self.alerts)
    }

    /// Notifications of your own.
    ///
    /// ```swift
    /// NotifyUsers { [try .apple(.json(encoding: ["aps": ["alert": $0]]))] }     // Apple's devices alone
    /// NotifyUsers { [.template(["message": $0])] }                        // devices with templates alone
    /// ```
    ///
    /// - Parameter notifications: is given a message's text, and returns what is sent for it. A device gets each that is for
    ///   it: of a template's and a platform's own, one that has a template gets both.
    public init(_ notifications: @escaping @Sendable (_ message: String) throws -> [PushNotification]) {
        self.notifications = notifications
    }

    private static func alerts(_ message: String) throws -> [PushNotification] {
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
