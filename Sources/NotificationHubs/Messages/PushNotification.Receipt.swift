extension PushNotification {
    /// What the service says of a notification that it has taken.
    public struct Receipt: Hashable, Sendable {
        /// The notification's id, by which its outcome is asked for; the Standard tier alone gives one.
        public let notificationID: ID?
        /// The service's id for the request.
        public let trackingID: String?
        /// The service's id for what belongs to the request.
        public let correlationID: String?

        init(_ response: HubResponse) {
            notificationID = response.headers["Location"].flatMap(ID.init(location:))
            trackingID = response.trackingID
            correlationID = response.correlationID
        }
    }
}
