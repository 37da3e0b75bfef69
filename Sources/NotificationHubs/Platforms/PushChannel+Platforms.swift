import HubText

extension PushChannel {
    /// Creates the channel of an Apple device from the bytes of its token.
    ///
    /// An app receives the token in `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`. The service stores it
    /// as upper-case hexadecimal digits.
    public static func apple(deviceToken: some Sequence<UInt8>) -> PushChannel {
        PushChannel(platform: .apple, handle: deviceToken.hexDigits(.upper).lossyText)
    }

    /// Creates the channel of an Apple device from the hexadecimal digits of its token.
    ///
    /// - Parameter hexDeviceToken: Two digits per byte, in upper or lower case.
    /// - Throws: ``HubValidationError`` if the token is empty, or contains anything other than pairs of hexadecimal digits.
    public static func apple(
        hexDeviceToken: some StringProtocol
    ) throws(HubValidationError) -> PushChannel {
        let channel = PushChannel(platform: .apple, handle: String(hexDeviceToken))
        try channel.check()
        return channel.stored
    }

    /// Creates the channel of an Android device or another client of Firebase Cloud Messaging.
    public static func fcmV1(registrationToken: String) -> PushChannel {
        PushChannel(platform: .fcmV1, handle: registrationToken)
    }

    /// Creates the channel of a device for Firebase's legacy API.
    public static func gcm(registrationID: String) -> PushChannel {
        PushChannel(platform: .gcm, handle: registrationID)
    }

    /// Creates the channel of an Amazon device.
    public static func adm(registrationID: String) -> PushChannel {
        PushChannel(platform: .adm, handle: registrationID)
    }

    /// Creates the channel of a Xiaomi device.
    public static func xiaomi(registrationID: String) -> PushChannel {
        PushChannel(platform: .xiaomi, handle: registrationID)
    }

    /// Creates the channel of a Windows app from the URI that `PushNotificationChannelManager` returns.
    public static func windows(channelURI: String) -> PushChannel {
        PushChannel(platform: .windows, handle: channelURI)
    }

    /// Creates the channel of a Windows Phone app.
    public static func windowsPhone(channelURI: String) -> PushChannel {
        PushChannel(platform: .windowsPhone, handle: channelURI)
    }

    /// Creates the channel of a Baidu device from the two numeric IDs of its binding. The handle
    /// joins them with a hyphen.
    public static func baidu(userID: String, channelID: String) -> PushChannel {
        PushChannel(platform: .baidu, handle: "\(userID)-\(channelID)")
    }
}
