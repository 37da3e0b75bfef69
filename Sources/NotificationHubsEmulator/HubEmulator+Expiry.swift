public import NotificationHubs

extension HubEmulator {
    /// Has a device's platform refuse it from now on, as it does once the app is no longer there.
    ///
    /// The hub learns of it as the service does, when it sends the next message there: that is not delivered, the telemetry
    /// says `ExpiredChannel`, and so does `NotificationHub.feedback()`; the device's registrations are removed, and its
    /// installations say `pushChannelExpired` and get nothing any more until they are put again. That ends with
    /// ``reset()``.
    ///
    /// - Parameter channel: where the device is reached; of ten thousand, no more are taken, with a warning.
    public func expire(_ channel: PushChannel) {
        let now = now()
        change { $0.expire(channel, now: now) }
    }
}
