extension NotificationHub {
    /// Sends a notification.
    ///
    /// - Returns: what the service calls the notification. That it was taken does not mean that a device has got it.
    /// - Throws: ``HubError``, with the code ``HubError/Code/mayHaveBeenAccepted`` if there was no response: sending again
    ///   may then show the notification twice. ``NotificationHub/InvalidName`` for a tag that the service would not take.
    @discardableResult
    public func send(
        _ notification: PushNotification, to target: PushNotification.Target
    ) async throws -> PushNotification.Receipt {
        try target.tag.check()
        let response = try await send(
            .post, "messages",
            headers: [
                "Content-Type": notification.contentType,
                "ServiceBusNotification-Format": notification.format,
                "ServiceBusNotification-Tags": target.tag.text,
            ],
            body: try notification.body(), accepting: [200, 201])
        return PushNotification.Receipt(
            notificationID: response.headers["Location"].flatMap(Self.lastPathSegment),
            trackingID: response.headers["TrackingId"],
            correlationID: response.headers["x-ms-correlation-request-id"])
    }

    /// The id at the end of a `Location`, whatever stands before it.
    private static func lastPathSegment(_ url: String) -> String? {
        url.prefix { $0 != "?" }.split(separator: "/").last.map(String.init)
    }
}
