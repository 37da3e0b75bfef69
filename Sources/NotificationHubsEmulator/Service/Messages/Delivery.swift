public import NotificationHubs

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// A notification as a device would have got it.
public struct Delivery: Hashable, Sendable {
    /// Its place among the hub's deliveries, from 1 on.
    public let number: Int
    /// When the device would have got it.
    public let date: Date
    /// The id of the notification that this comes from.
    public let notificationID: String
    /// The installation that it went to, if it is one.
    public let installationID: Installation.ID?
    /// The registration that it went to, if it is one; a device that was addressed by its handle has neither.
    public let registrationID: Registration.ID?
    /// Where the device is reached.
    public let pushChannel: PushChannel
    /// The name of the template that was filled; `nil` for a message in the platform's own words.
    public let templateName: String?
    /// What the platform is told besides the body, such as `apns-push-type`.
    public let headers: [String: String]
    /// The body: the template's, filled, or the message's.
    public let body: String
}
