extension PushNotification.Outcome {
    /// The result of a notification at a platform. The service can add results.
    public struct DeliveryResult: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The service's name of the result.
        public let rawValue: String

        /// Creates a result from the service's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The service's name of the result.
        public var description: String { rawValue }
    }
}

extension PushNotification.Outcome.DeliveryResult {
    /// The platform accepted the notification.
    public static let success = Self(rawValue: "Success")
    /// The platform rejected the hub's credentials.
    public static let invalidCredentials = Self(rawValue: "InvalidCredentials")
    /// The platform could not be reached.
    public static let pnsUnreachable = Self(rawValue: "PnsUnreachable")
    /// The platform rejected the service's request as malformed.
    public static let pnsInterfaceError = Self(rawValue: "PnsInterfaceError")
    /// The handle is unknown to the platform.
    public static let badChannel = Self(rawValue: "BadChannel")
    /// The handle has expired.
    public static let expiredChannel = Self(rawValue: "ExpiredChannel")
    /// The platform had an internal error.
    public static let pnsServerError = Self(rawValue: "PnsServerError")
    /// The platform is not available.
    public static let pnsUnavailable = Self(rawValue: "PnsUnavailable")
    /// The platform throttled the hub.
    public static let throttled = Self(rawValue: "Throttled")
    /// The platform's token provider rejected the service's request as malformed.
    public static let tokenProviderInterfaceError = Self(rawValue: "TokenProviderInterfaceError")
    /// The platform's token provider could not be reached.
    public static let tokenProviderUnreachable = Self(rawValue: "TokenProviderUnreachable")
    /// The platform rejected the token.
    public static let invalidToken = Self(rawValue: "InvalidToken")
    /// The token is for another purpose, such as the platform's other environment.
    public static let wrongToken = Self(rawValue: "WrongToken")
    /// The platform rejected the format of the body.
    public static let invalidNotificationFormat = Self(rawValue: "InvalidNotificationFormat")
    /// The body is too large for the platform.
    public static let invalidNotificationSize = Self(rawValue: "InvalidNotificationSize")
    /// The platform throttled the device.
    public static let channelThrottled = Self(rawValue: "ChannelThrottled")
    /// The device is not connected.
    public static let channelDisconnected = Self(rawValue: "ChannelDisconnected")
    /// The platform dropped the notification.
    public static let dropped = Self(rawValue: "Dropped")
    /// The handle belongs to another app.
    public static let wrongChannel = Self(rawValue: "WrongChannel")
    /// The token must be renewed.
    public static let refreshToken = Self(rawValue: "RefreshToken")
    /// The service gave up on the notification.
    public static let abandonedNotificationMessages = Self(rawValue: "AbandonedNotificationMessages")
    /// No device was found.
    public static let noTargets = Self(rawValue: "NoTargets")
    /// The notification was skipped.
    public static let skipped = Self(rawValue: "Skipped")
    /// The cause is unknown.
    public static let unknownError = Self(rawValue: "UnknownError")
}
