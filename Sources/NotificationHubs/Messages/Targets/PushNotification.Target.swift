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
