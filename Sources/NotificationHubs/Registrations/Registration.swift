#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// Where a device is reached, what it is interested in, and, with a template, how messages are written for it.
///
/// It is the older way to tell a hub of a device: an ``Installation`` says all of it at once, with any number of templates, and
/// under an id that the app chooses. A registration has one template, or is native and has none.
///
/// Source: [Registration management](https://learn.microsoft.com/azure/notification-hubs/notification-hubs-push-notification-registration-management).
public struct Registration: Hashable, Sendable {
    /// Where the device is reached. A browser's is sent as its three parts; other members stay here.
    public var pushChannel: PushChannel
    /// What the device is addressed by: ``Installation/maximumTagCount`` at most.
    public var tags: [NotificationHub.Tag]
    /// Values for the template that messages do not bring, by their names.
    public var pushVariables: [String: String]
    /// How template messages are written for the device; `nil` for a native registration, which messages in the platform's own
    /// format reach.
    public var template: Template?
    /// The name of the tile that the channel is for, of a Windows or Windows Phone app.
    public var secondaryTileName: String?

    /// Describes a device.
    public init(
        pushChannel: PushChannel, tags: [NotificationHub.Tag] = [], pushVariables: [String: String] = [:],
        template: Template? = nil, secondaryTileName: String? = nil
    ) {
        self.pushChannel = pushChannel
        self.tags = tags
        self.pushVariables = pushVariables
        self.template = template
        self.secondaryTileName = secondaryTileName
    }
}

extension Registration {
    /// How a template message is written for one device.
    public struct Template: Hashable, Sendable {
        /// A template's name, as an installation's.
        public typealias Name = Installation.Template.Name
        /// When a platform is to stop trying, as in an installation's template.
        public typealias Expiry = Installation.Template.Expiry

        /// The notification's body in the platform's format, with expressions such as `$(message)` where the message's
        /// values go.
        public var body: String
        /// What the template is called. Only the device's own SDKs use it.
        public var name: Name?
        /// Headers for the platform, by their names: of Windows, Windows Phone and Apple devices alone.
        ///
        /// Windows needs `X-WNS-Type`, Windows Phone `X-NotificationClass`. The names of Apple's begin with `apns-`.
        public var headers: [String: String]
        /// When Apple is to stop trying: a date, or an expression.
        public var expiry: Expiry?
        /// Apple's priority: a number up to 255, or an expression. The header `apns-priority` says the same.
        public var priority: String?
        /// What kind of message Baidu is to make of it.
        public var messageType: Int?

        /// A template with a given body.
        public init(
            body: String, name: Name? = nil, headers: [String: String] = [:], expiry: Expiry? = nil,
            priority: String? = nil, messageType: Int? = nil
        ) {
            self.body = body
            self.name = name
            self.headers = headers
            self.expiry = expiry
            self.priority = priority
            self.messageType = messageType
        }
    }
}

extension Registration {
    /// A registration as the hub holds it.
    public struct Entry: Hashable, Sendable, Identifiable {
        /// The registration's id.
        public let id: ID
        /// What the device was registered with. Change it and pass it to
        /// ``NotificationHub/updateRegistration(_:id:ifMatch:)`` with ``entityTag``.
        public var registration: Registration
        /// Which state this is.
        public let entityTag: EntityTag?
        /// When the registration ends by itself; the year 9999 for never.
        public let expirationTime: Date?
        /// The names of what else the hub has said of the registration, for which there is no property here: an update does
        /// not write it back.
        public let otherElements: [String]
    }
}
