import HubText

extension PushChannel {
    /// An Apple device, by the token that `didRegisterForRemoteNotificationsWithDeviceToken` is called with.
    ///
    /// The service stores it in upper-case hexadecimal digits.
    public static func apple(deviceToken: some Sequence<UInt8>) -> PushChannel {
        PushChannel(platform: .apple, handle: deviceToken.hexDigits(.upper).lossyText)
    }

    /// An Apple device, by the hexadecimal digits of its token, in any case.
    ///
    /// - Throws: ``HubValidationError`` for an empty token and for anything but two hexadecimal digits per byte.
    public static func apple(
        hexDeviceToken: some StringProtocol
    ) throws(HubValidationError) -> PushChannel {
        let channel = PushChannel(platform: .apple, handle: String(hexDeviceToken))
        try channel.check()
        return channel.stored
    }

    /// An Android device, or any other of Firebase Cloud Messaging, by its registration token.
    public static func fcmV1(registrationToken: String) -> PushChannel {
        PushChannel(platform: .fcmV1, handle: registrationToken)
    }

    /// A device of Firebase's legacy interface, by its registration id.
    public static func gcm(registrationID: String) -> PushChannel {
        PushChannel(platform: .gcm, handle: registrationID)
    }

    /// An Amazon device, by its registration id.
    public static func adm(registrationID: String) -> PushChannel {
        PushChannel(platform: .adm, handle: registrationID)
    }

    /// A Xiaomi device, by its registration id.
    public static func xiaomi(registrationID: String) -> PushChannel {
        PushChannel(platform: .xiaomi, handle: registrationID)
    }

    /// A Windows app, by the URI of the channel that `PushNotificationChannelManager` opened.
    public static func windows(channelURI: String) -> PushChannel {
        PushChannel(platform: .windows, handle: channelURI)
    }

    /// A Windows Phone app, by the URI of its channel.
    public static func windowsPhone(channelURI: String) -> PushChannel {
        PushChannel(platform: .windowsPhone, handle: channelURI)
    }

    /// A device of Baidu's, by the two ids that binding it gave, both of digits. The service joins them by a hyphen.
    public static func baidu(userID: String, channelID: String) -> PushChannel {
        PushChannel(platform: .baidu, handle: "\(userID)-\(channelID)")
    }
}
