extension PushNotification {
    /// A single device, addressed by its push channel. The hub does not need to know the device.
    public struct Direct: Hashable, Sendable {
        let channel: PushChannel

        /// A device of the notification's platform.
        public static func device(_ channel: PushChannel) -> Direct { Direct(channel: channel) }

        /// The headers that address the device.
        func headers(for notification: PushNotification) throws(HubValidationError) -> HubHeaders {
            try channel.check(for: notification)
            var headers: HubHeaders = ["ServiceBusNotification-DeviceHandle": channel.handle]
            if let subscription = channel.browserSubscription {
                headers["P256DH"] = subscription.p256dh
                headers["Auth"] = subscription.auth
            }
            return headers
        }
    }
}

extension PushChannel {
    /// Throws if a notification cannot be sent to the channel.
    func check(for notification: PushNotification) throws(HubValidationError) {
        guard platform == notification.platform else {
            throw HubValidationError(
                .platformMismatch,
                "the notification is \(notification.format), the device's handle is \(platform.format)")
        }
        do {
            try checkForHeaders()
        } catch {
            throw HubValidationError(.invalidPushChannel, error.description)
        }
    }
}
