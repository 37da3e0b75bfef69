extension PushNotification {
    /// Whom a notification is for.
    ///
    /// There is no default, and nothing but ``everyone`` is everyone: an empty list of tags is refused.
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
        public static func tag(_ tag: NotificationHub.Tag) -> Target { .expression(TagExpression(tag)) }

        /// Every device that has any of these tags: one at least, ``TagExpression/maximumTagCountOfAlternatives`` at most,
        /// else the send throws ``PushNotification/Invalid``.
        public static func tags(_ tags: some Collection<NotificationHub.Tag>) -> Target { .expression(.any(of: tags)) }

        /// Every device that an expression is true of.
        public static func expression(_ expression: TagExpression) -> Target { Target(kind: .expression(expression)) }

        /// The device of an installation.
        public static func installation(_ id: Installation.ID) -> Target { .expression(.installation(id)) }

        /// Every device of a user.
        public static func user(_ id: Installation.UserID) -> Target { .expression(.user(id)) }

        /// Every device of the hub that the notification's format is for: a broadcast.
        public static let everyone = Target(kind: .everyone)

        /// What the target adds to a request: an expression, or, for everyone alone, nothing.
        ///
        /// - Throws: ``PushNotification/Invalid`` if the service would not take the expression.
        func headers() throws(Invalid) -> HubHeaders {
            switch kind {
            case .everyone: return [:]
            case .expression(let expression):
                try expression.validate()
                // An empty header would be a broadcast; there is no such expression, and none gets past this.
                guard HeaderText.isAllowed(expression.text) else {
                    throw Invalid(.noTags, "the expression names nobody; to send to all, say .everyone")
                }
                return ["ServiceBusNotification-Tags": expression.text]
            }
        }
    }
}
