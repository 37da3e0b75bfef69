/// A device's handle: what its platform gave to it to be reached by, and the platform.
///
/// It is not printed: who knows it and a hub's key can write to the device. Handles are printable ASCII without spaces; each
/// of these throws ``PushNotification/Invalid`` for another text, and for an empty one.
public struct DeviceHandle: Hashable, Sendable {
    /// The format of the notifications that the device takes.
    public let format: PushNotification.Format
    /// The handle as it is sent: of a browser, its endpoint.
    public let text: String
    let browserKeys: BrowserKeys?

    struct BrowserKeys: Hashable, Sendable {
        let p256dh: String
        let auth: String
    }

    private init(_ format: PushNotification.Format, _ text: String, _ browserKeys: BrowserKeys? = nil)
        throws(PushNotification.Invalid)
    {
        guard [text, browserKeys?.p256dh, browserKeys?.auth].allSatisfy({ $0.map(Self.isAllowed) ?? true }) else {
            throw PushNotification.Invalid(.handle, "a device's handle is printable ASCII without spaces")
        }
        self.format = format
        self.text = text
        self.browserKeys = browserKeys
    }

    private static func isAllowed(_ text: String) -> Bool {
        HeaderText.isAllowed(text) && !text.utf8.contains(0x20)
    }

    /// An Apple device, by the token that `didRegisterForRemoteNotificationsWithDeviceToken` is called with.
    public static func apple(deviceToken: some Sequence<UInt8>) throws(PushNotification.Invalid) -> DeviceHandle {
        try DeviceHandle(.apple, PushChannel.apns(deviceToken: deviceToken).handle)
    }

    /// An Apple device, by its token's hexadecimal digits, in any case.
    public static func apple(_ deviceToken: String) throws(PushNotification.Invalid) -> DeviceHandle {
        guard PushChannel.isAppleToken(deviceToken) else {
            throw PushNotification.Invalid(.handle, "an Apple device's token is hexadecimal digits, two a byte")
        }
        return try DeviceHandle(.apple, deviceToken)
    }

    /// A device of Firebase Cloud Messaging, by its registration token.
    public static func fcmV1(_ registrationToken: String) throws(PushNotification.Invalid) -> DeviceHandle {
        try DeviceHandle(.fcmV1, registrationToken)
    }

    /// A device of Google's older interface, by its registration id.
    public static func gcm(_ registrationID: String) throws(PushNotification.Invalid) -> DeviceHandle {
        try DeviceHandle(.gcm, registrationID)
    }

    /// A Windows device, by its channel's URI.
    public static func windows(channelURI: String) throws(PushNotification.Invalid) -> DeviceHandle {
        try DeviceHandle(.windows, channelURI)
    }

    /// A Windows Phone, by its channel's URI.
    public static func windowsPhone(channelURI: String) throws(PushNotification.Invalid) -> DeviceHandle {
        try DeviceHandle(.windowsPhone, channelURI)
    }

    /// An Amazon device, by its registration id.
    public static func adm(_ registrationID: String) throws(PushNotification.Invalid) -> DeviceHandle {
        try DeviceHandle(.adm, registrationID)
    }

    /// A device of Baidu, by its user and channel.
    public static func baidu(userID: String, channelID: String) throws(PushNotification.Invalid) -> DeviceHandle {
        guard !userID.isEmpty, !channelID.isEmpty else {
            throw PushNotification.Invalid(.handle, "a device of Baidu has a user id and a channel id")
        }
        return try DeviceHandle(.baidu, "\(userID)-\(channelID)")
    }

    /// A device of Xiaomi, by its registration id.
    public static func xiaomi(_ registrationID: String) throws(PushNotification.Invalid) -> DeviceHandle {
        try DeviceHandle(.xiaomi, registrationID)
    }

    /// A browser, by the parts of its push subscription: the endpoint's URL and the two keys, in URL-safe Base64.
    public static func browser(endpoint: String, p256dh: String, auth: String) throws(PushNotification.Invalid)
        -> DeviceHandle
    {
        try DeviceHandle(.browser, endpoint, BrowserKeys(p256dh: p256dh, auth: auth))
    }

    /// Makes sure that a notification is of the device's platform.
    func check(for notification: PushNotification) throws(PushNotification.Invalid) {
        guard format == notification.format else {
            throw PushNotification.Invalid(
                .platformMismatch, "the notification is \(notification.format), the device's handle is \(format)")
        }
    }
}

extension DeviceHandle: CustomStringConvertible, CustomReflectable {
    /// The platform; not the handle.
    public var description: String { "\(format) (hidden)" }

    /// The platform; not the handle.
    public var customMirror: Mirror { Mirror(self, children: ["format": format.name]) }
}
