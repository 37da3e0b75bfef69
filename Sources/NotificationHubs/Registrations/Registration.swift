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
