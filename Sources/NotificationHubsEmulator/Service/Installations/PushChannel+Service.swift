import NotificationHubs

extension PushChannel {
    /// The channel as the service keeps it: an Apple device's token in upper-case digits.
    var kept: PushChannel {
        platform == .apns ? PushChannel(platform: .apns, handle: handle.uppercased()) : self
    }
}
