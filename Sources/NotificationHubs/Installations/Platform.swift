import HubText

/// A push platform, by the name that the service has for it.
///
/// Names are compared as the service does, without regard to the case of ASCII letters. A platform that this package does
/// not name can be made from its name.
///
/// Not `RawRepresentable`: the standard library's `!=` for such types would compare the names' bytes.
public struct Platform: Sendable {
    /// The service's name, in the case in which it was written.
    public let rawValue: String

    /// A platform by the service's name.
    ///
    /// There is no platform `fcm`: the service answers it with an error 500. ``fcmV1`` is Firebase today, and ``gcm`` its
    /// legacy interface.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apple Push Notification service.
    public static let apns = Platform(rawValue: "apns")
    /// Firebase Cloud Messaging, by its HTTP v1 interface.
    public static let fcmV1 = Platform(rawValue: "fcmV1")
    /// Firebase Cloud Messaging by its legacy interface, which Google has shut down, and Google Cloud Messaging before it.
    public static let gcm = Platform(rawValue: "gcm")
    /// Windows Push Notification Services.
    public static let wns = Platform(rawValue: "wns")
    /// Microsoft Push Notification Service, of Windows Phone 7 and 8.
    public static let mpns = Platform(rawValue: "mpns")
    /// Amazon Device Messaging.
    public static let adm = Platform(rawValue: "adm")
    /// Baidu. An older page of the service's documentation says that installations do not support it.
    public static let baidu = Platform(rawValue: "baidu")
    /// Web Push, to browsers.
    public static let browser = Platform(rawValue: "browser")
    /// Xiaomi.
    public static let xiaomi = Platform(rawValue: "xiaomi")

    /// Makes sure that the platform may be sent.
    func check() throws(NotificationHub.InvalidName) {
        if rawValue.isEmpty {
            throw NotificationHub.InvalidName(description: "a platform's name has one character at least")
        }
        if self == Platform(rawValue: "fcm") {
            throw NotificationHub.InvalidName(
                description: "the service has no platform \"fcm\": use .fcmV1, or .gcm for the legacy interface")
        }
    }
}

extension Platform: Hashable {
    /// Compares names without regard to the case of ASCII letters, other bytes as they are.
    public static func == (left: Platform, right: Platform) -> Bool {
        left.rawValue.utf8.isEqual(ignoringCase: right.rawValue)
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte.asciiLowercased) }
    }
}

extension Platform: CustomStringConvertible {
    /// The service's name.
    public var description: String { rawValue }
}
