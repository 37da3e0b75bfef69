extension PushNotification {
    /// The devices that a notification is sent to.
    ///
    /// There is no default. Only ``everyone`` is a broadcast: an empty list of tags is rejected.
    ///
    /// Single devices are addressed by ``PushNotification/Direct`` and ``PushNotification/Batch``, which are types of their
    /// own, since they can neither be scheduled nor tested.
    public struct Target: Hashable, Sendable {
        private enum Kind: Hashable, Sendable {
            case expression(TagExpression)
            case everyone
        }

        private let kind: Kind

        /// Every device that has a tag.
        public static func tag(_ tag: NotificationHub.Tag) -> Target { .expression(.tag(tag)) }

        /// Every device that has any of these tags: one at least, ``TagExpression/maximumTagCountOfAlternatives`` at most,
        /// else the send throws ``HubValidationError``.
        public static func tags(_ tags: some Collection<NotificationHub.Tag>) -> Target { .expression(.any(of: tags)) }

        /// Every device that an expression is true of.
        public static func expression(_ expression: TagExpression) -> Target { Target(kind: .expression(expression)) }

        /// The device of an installation.
        public static func installation(_ id: Installation.ID) -> Target { .expression(.installation(id)) }

        /// Every device of a user.
        public static func user(_ id: Installation.UserID) -> Target { .expression(.user(id)) }

        /// Every device of the hub that the notification's format is for: a broadcast.
        public static let everyone = Target(kind: .everyone)

        /// The header of the target. For ``everyone``, and only then, there is none.
        ///
        /// - Throws: ``HubValidationError`` if the service would reject the expression.
        func headers() throws(HubValidationError) -> HubHeaders {
            switch kind {
            case .everyone: return [:]
            case .expression(let expression):
                try expression.validate()
                return ["ServiceBusNotification-Tags": expression.node.text]
            }
        }
    }
}

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
