extension PushNotification {
    /// The devices that a notification is sent to.
    ///
    /// Only ``everyone`` is a broadcast: the send rejects an empty list of tags.
    ///
    /// ``PushNotification/Direct`` and ``PushNotification/Batch``, which address single devices, are separate types because the
    /// service does not support them for scheduled and test sends.
    public struct Target: Hashable, Sendable {
        private enum Kind: Hashable, Sendable {
            case expression(TagExpression)
            case everyone
        }

        private let kind: Kind

        /// Returns a target of all devices with a tag.
        public static func tag(_ tag: NotificationHub.Tag) -> Target { .expression(.tag(tag)) }

        /// Returns a target of all devices with any of the tags.
        ///
        /// With no tag, or more than 20, the send throws ``HubValidationError``.
        public static func tags(_ tags: some Collection<NotificationHub.Tag>) -> Target { .expression(.any(of: tags)) }

        /// Returns a target of all devices that match an expression.
        public static func expression(_ expression: TagExpression) -> Target { Target(kind: .expression(expression)) }

        /// Returns the device of an installation as a target.
        public static func installation(_ id: Installation.ID) -> Target { .expression(.installation(id)) }

        /// Returns a target of all devices of a user.
        public static func user(_ id: Installation.UserID) -> Target { .expression(.user(id)) }

        /// All devices of the hub that support the notification's format: a broadcast.
        public static let everyone = Target(kind: .everyone)

        /// Returns the header that selects the devices; none for ``everyone``.
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
    /// A single device, addressed by its push channel. The device does not need to be registered.
    public struct Direct: Hashable, Sendable {
        let channel: PushChannel

        /// Returns a device as a target. Its platform must be that of the notification.
        public static func device(_ channel: PushChannel) -> Direct { Direct(channel: channel) }

        /// Returns the headers that address the device.
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
                "the notification's format is \(notification.format), but the device's is \(platform.format)")
        }
        do {
            try checkForHeaders()
        } catch {
            throw HubValidationError(.invalidPushChannel, error.description)
        }
    }
}

extension PushNotification.Target: CustomStringConvertible, CustomDebugStringConvertible {
    /// The tag expression, or `everyone`.
    public var description: String {
        switch kind {
        case .everyone: "everyone"
        case .expression(let expression): "\(expression)"
        }
    }

    /// The type and all properties.
    public var debugDescription: String { Mirror.debugText(of: self) }
}
