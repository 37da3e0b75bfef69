/// What is sent to devices.
public struct PushNotification: Sendable {
    /// The values of a template message.
    private let values: [String: String]

    /// Values that every device's own templates are filled with.
    ///
    /// A device without a template gets nothing.
    public static func template(_ values: [String: String]) -> PushNotification {
        PushNotification(values: values)
    }

    /// The value of `ServiceBusNotification-Format`.
    var format: String { "template" }

    var contentType: String { "application/json" }

    func body() throws -> [UInt8] {
        try JSON.encode(values)
    }
}

extension PushNotification {
    /// Whom a notification is for.
    public struct Target: Sendable {
        let tag: NotificationHub.Tag

        /// Every device that has a tag.
        public static func tag(_ tag: NotificationHub.Tag) -> Target { Target(tag: tag) }
    }

    /// What the service says of a notification that it has taken.
    public struct Receipt: Hashable, Sendable {
        /// The notification's id, by which its outcome is asked for; the Standard tier alone gives one.
        public let notificationID: String?
        /// The service's id for the request.
        public let trackingID: String?
        /// The service's id for what belongs to the request.
        public let correlationID: String?
    }
}
