public import NotificationHubs

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension HubEmulator {
    /// A notification as a device would have got it.
    public struct Delivery: Hashable, Sendable {
        /// Its place among the hub's deliveries, from 1 on.
        public let number: Int
        /// When the device would have got it.
        public let date: Date
        /// The id of the notification that this comes from.
        public let notificationID: PushNotification.ID
        /// The registration that it went to, if it is one; a device that was addressed by its handle is neither that nor an
        /// installation.
        public let registrationID: Registration.ID?
        /// Where the device is reached.
        public let pushChannel: PushChannel
        /// The name of the template that was filled; `nil` for a message in the platform's own words.
        public let templateName: String?
        /// What the platform is told besides the body, such as `apns-push-type`.
        public let headers: [String: String]
        /// The body: the template's, filled, or the message's.
        public let body: String
        /// The tags of where it went.
        let place: RecipientTags

        /// The installation that it went to, if it is one.
        public var installationID: Installation.ID? { place.installationID }

        /// The tags that the device had then, and the template that was filled; without those that the service makes of the
        /// installation's id and its user. A device that was addressed by its handle has none.
        public var tags: [NotificationHub.Tag] { place.device + place.template }

        /// About how much memory it takes.
        var byteCount: Int {
            let texts = headers.reduce(pushChannel.handle.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
            return 256 + texts + body.utf8.count
        }
    }
}
