public import NotificationHubs

/// A notification as a device would have been shown it.
public struct Delivery: Hashable, Sendable {
    /// The id of the notification that this comes from.
    public let notificationID: String
    /// The installation that it went to.
    public let installationID: Installation.ID
    /// Where the device is reached.
    public let pushChannel: PushChannel
    /// The name of the template that was filled.
    public let templateName: String
    /// The template's body, filled.
    public let body: String
}
