/// Where a device is reached: a platform, and the handle that the platform gave to the device.
public struct PushChannel: Hashable, Sendable {
    /// The platform that issued the handle.
    public let platform: Platform
    /// The handle, as the service stores it.
    public let handle: String

    /// A channel of any platform.
    public init(platform: Platform, handle: String) {
        self.platform = platform
        self.handle = handle
    }

    /// An Apple device, by the token that `didRegisterForRemoteNotificationsWithDeviceToken` is called with.
    ///
    /// The service stores it in upper-case hexadecimal digits.
    public static func apns(deviceToken: some Sequence<UInt8>) -> PushChannel {
        let digits = Array("0123456789ABCDEF")
        let text = deviceToken.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return PushChannel(platform: .apns, handle: String(text))
    }
}
