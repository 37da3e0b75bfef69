extension PushNotification.Outcome {
    /// What happened to a notification at a platform, in the service's words. New ones may come.
    public struct DeliveryResult: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The service's word.
        public let rawValue: String

        /// A result by the service's word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The service's word.
        public var description: String { rawValue }
    }
}

extension PushNotification.Outcome.DeliveryResult {
    /// The platform took it.
    public static let success = Self(rawValue: "Success")
    /// The platform refused the hub's credentials.
    public static let invalidCredentials = Self(rawValue: "InvalidCredentials")
    /// The platform could not be reached.
    public static let pnsUnreachable = Self(rawValue: "PnsUnreachable")
    /// The platform did not understand the service.
    public static let pnsInterfaceError = Self(rawValue: "PnsInterfaceError")
    /// The platform does not know the handle.
    public static let badChannel = Self(rawValue: "BadChannel")
    /// The handle has ended.
    public static let expiredChannel = Self(rawValue: "ExpiredChannel")
    /// The platform failed.
    public static let pnsServerError = Self(rawValue: "PnsServerError")
    /// The platform is not available.
    public static let pnsUnavailable = Self(rawValue: "PnsUnavailable")
    /// Too many notifications.
    public static let throttled = Self(rawValue: "Throttled")
    /// What gives tokens for the platform did not understand the service.
    public static let tokenProviderInterfaceError = Self(rawValue: "TokenProviderInterfaceError")
    /// What gives tokens for the platform could not be reached.
    public static let tokenProviderUnreachable = Self(rawValue: "TokenProviderUnreachable")
    /// The platform refused the token.
    public static let invalidToken = Self(rawValue: "InvalidToken")
    /// The token is for something else, such as the platform's other environment.
    public static let wrongToken = Self(rawValue: "WrongToken")
    /// The platform did not understand the body.
    public static let invalidNotificationFormat = Self(rawValue: "InvalidNotificationFormat")
    /// The body is too large for the platform.
    public static let invalidNotificationSize = Self(rawValue: "InvalidNotificationSize")
    /// Too many notifications for the device.
    public static let channelThrottled = Self(rawValue: "ChannelThrottled")
    /// The device is not connected.
    public static let channelDisconnected = Self(rawValue: "ChannelDisconnected")
    /// The platform dropped it.
    public static let dropped = Self(rawValue: "Dropped")
    /// The handle is of another app.
    public static let wrongChannel = Self(rawValue: "WrongChannel")
    /// The token has to be renewed.
    public static let refreshToken = Self(rawValue: "RefreshToken")
    /// It was given up.
    public static let abandonedNotificationMessages = Self(rawValue: "AbandonedNotificationMessages")
    /// No device was found.
    public static let noTargets = Self(rawValue: "NoTargets")
    /// It was left out.
    public static let skipped = Self(rawValue: "Skipped")
    /// Something else.
    public static let unknownError = Self(rawValue: "UnknownError")
}
