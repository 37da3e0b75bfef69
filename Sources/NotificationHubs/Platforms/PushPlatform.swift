import HubText

/// A push platform.
///
/// As in the service, comparisons ignore the case of ASCII letters. For a platform without a constant, use
/// ``init(rawValue:)``.
///
/// The type is not `RawRepresentable`, because the standard library's `!=` for such types is case-sensitive.
public struct PushPlatform: Sendable {
    /// The platform's name in the service's installations, such as `apns`.
    public let rawValue: String

    /// Creates a platform from its name in the service's installations.
    ///
    /// The service has no platform `fcm`: use ``fcmV1`` for Firebase, or ``gcm`` for its legacy API.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Apple Push Notification service (`apns`).
    public static let apple = PushPlatform(rawValue: "apns")
    /// Firebase Cloud Messaging, HTTP v1 API (`fcmV1`).
    public static let fcmV1 = PushPlatform(rawValue: "fcmV1")
    /// Firebase Cloud Messaging's legacy API and Google Cloud Messaging (`gcm`). Google has shut down both.
    public static let gcm = PushPlatform(rawValue: "gcm")
    /// Windows Push Notification Services (`wns`).
    public static let windows = PushPlatform(rawValue: "wns")
    /// Microsoft Push Notification Service, for Windows Phone 7 and 8 (`mpns`).
    public static let windowsPhone = PushPlatform(rawValue: "mpns")
    /// Amazon Device Messaging (`adm`).
    public static let adm = PushPlatform(rawValue: "adm")
    /// Baidu (`baidu`). According to older documentation of the service, installations do not support it.
    public static let baidu = PushPlatform(rawValue: "baidu")
    /// Web Push (`browser`).
    public static let browser = PushPlatform(rawValue: "browser")
    /// Xiaomi (`xiaomi`).
    public static let xiaomi = PushPlatform(rawValue: "xiaomi")

    /// Throws if the name is empty or `fcm`, which the service does not accept.
    func check() throws(HubValidationError) {
        if rawValue.isEmpty {
            throw HubValidationError(.invalidPlatform, "the platform's name must not be empty")
        }
        if self == PushPlatform(rawValue: "fcm") {
            throw HubValidationError(
                .invalidPlatform, "unknown platform \"fcm\": use .fcmV1, or .gcm for the legacy API")
        }
    }
}

extension PushPlatform: Hashable {
    /// Returns whether two platforms have the same raw value, ignoring the case of ASCII letters.
    public static func == (left: PushPlatform, right: PushPlatform) -> Bool {
        left.rawValue.utf8.isEqual(ignoringCase: right.rawValue)
    }

    /// Hashes the raw value, ignoring the case of ASCII letters.
    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte.asciiLowercased) }
    }
}

extension PushPlatform: Codable {
    /// Decodes the raw value.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the raw value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension PushPlatform: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}

/// The value of `ServiceBusNotification-Format`: a platform or `template`.
package enum MessageFormat: Hashable, Sendable {
    case template
    case platform(PushPlatform)

    /// All formats.
    package static let all = [.template] + PushPlatform.all.map { MessageFormat.platform($0) }

    /// Creates a format from its name, ignoring case; `nil` for an unknown name.
    package init?(name: some StringProtocol) {
        guard let format = Self.all.first(where: { $0.name.utf8.isEqual(ignoringCase: name) }) else { return nil }
        self = format
    }

    /// The name in lower case.
    package var name: String { platform?.format ?? "template" }

    /// The platform, or `nil` for templates.
    package var platform: PushPlatform? {
        if case .platform(let platform) = self { platform } else { nil }
    }

    /// The media types of a notification's body.
    package var mediaTypes: [String] { platform?.row?.mediaTypes ?? ["application/json"] }
}

extension MessageFormat: CustomStringConvertible {
    /// The name.
    package var description: String { name }
}
