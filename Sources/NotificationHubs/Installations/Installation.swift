#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// A device as the hub knows it: where it is reached, what it is interested in, and how messages are written for it.
///
/// Putting an installation replaces all of it.
public struct Installation: Hashable, Sendable, Identifiable {
    /// The installation's id, chosen by the app: a UUID as a rule, kept on the device.
    public let id: ID
    /// Where the device is reached.
    public var pushChannel: PushChannel
    /// What the device is addressed by.
    public var tags: [NotificationHub.Tag]
    /// How template messages are written for the device, by the template's name.
    public var templates: [String: Template]
    /// Whether the platform has refused the channel; the service says so, and does not take it.
    public let isPushChannelExpired: Bool?
    /// When the installation ends by itself, as the service says: the year 9999 for never.
    public let expirationTime: Date?

    /// Describes a device.
    public init(id: ID, pushChannel: PushChannel, tags: [NotificationHub.Tag] = [], templates: [String: Template] = [:])
    {
        self.init(
            id: id, pushChannel: pushChannel, tags: tags, templates: templates, isPushChannelExpired: nil,
            expirationTime: nil)
    }

    package init(
        id: ID, pushChannel: PushChannel, tags: [NotificationHub.Tag], templates: [String: Template],
        isPushChannelExpired: Bool?,
        expirationTime: Date?
    ) {
        self.id = id
        self.pushChannel = pushChannel
        self.tags = tags
        self.templates = templates
        self.isPushChannelExpired = isPushChannelExpired
        self.expirationTime = expirationTime
    }
}

extension Installation {
    /// How a template message is written for one device.
    public struct Template: Hashable, Sendable {
        /// The notification's body, with expressions such as `$(message)` where the message's values go.
        public var body: String
        /// What the template is addressed by, besides the installation's tags. The service puts the template's name here
        /// if there are none.
        public var tags: [NotificationHub.Tag]

        /// A template with a given body.
        public init(body: String, tags: [NotificationHub.Tag] = []) {
            self.body = body
            self.tags = tags
        }
    }
}
