extension PushNotification {
    /// The recipients of a send that takes several requests if there are many.
    public struct Batch: Hashable, Sendable {
        private let recipients: Recipients

        private enum Recipients: Hashable {
            case devices([PushChannel])
            case tags([NotificationHub.Tag], excluded: [NotificationHub.Tag])
        }

        /// Returns devices as a target, in chunks of at most 1,000. Their platform must be that of the notification.
        ///
        /// Duplicate devices receive the notification more than once. The send rejects an empty list and browsers, which the
        /// service does not support in batches. It requires a hub of the Basic or Standard tier.
        public static func devices(_ channels: some Collection<PushChannel>) -> Batch {
            Batch(recipients: .devices(Array(channels)))
        }

        /// Returns the devices with any of the tags as a target, in the fewest expressions.
        ///
        /// The service accepts 20 tags in an expression joined only by `||`, so *n* tags take ⌈*n* / 20⌉ expressions, each of which is
        /// a request. The service handles the requests separately: **a device with tags of several expressions receives the
        /// notification several times.** Up to 20 tags are one expression, which selects each device once.
        ///
        /// To avoid duplicates, use tags of which each device has at most one, such as its city, and exclude the tags of earlier
        /// sends:
        ///
        /// ```swift
        /// let first = try await hub.send(notification, to: .anyOf(["vip", "press"]))
        /// let others = try await hub.send(notification, to: .anyOf(cities, excluding: ["vip", "press"]))
        /// ```
        ///
        /// The service accepts 6 tags in an expression with `!`, so *e* excluded tags leave 6 − *e* for each expression, and *n*
        /// tags take ⌈*n* / (6 − *e*)⌉. Because of this limit, the client cannot prevent duplicates by excluding the tags of the
        /// other expressions.
        ///
        /// - Parameters:
        ///   - tags: The tags; at least one that is not excluded. Duplicates, and tags that are also excluded, are ignored.
        ///   - excluded: The tags whose devices do not receive the notification; at most 5.
        public static func anyOf(
            _ tags: some Collection<NotificationHub.Tag>,
            excluding excluded: some Collection<NotificationHub.Tag> = [] as [NotificationHub.Tag]
        ) -> Batch {
            Batch(recipients: .tags(Array(tags), excluded: Array(excluded)))
        }

        /// The largest number of devices that the service accepts in a request.
        package static let maximumDeviceCount = 1000

        /// Returns the recipients of each request.
        ///
        /// - Throws: ``HubValidationError`` if the notification cannot be sent to all of them.
        func chunks(for notification: PushNotification) throws(HubValidationError) -> [SendReport.Recipients] {
            let chunks: [SendReport.Recipients]
            switch recipients {
            case .devices(let channels):
                guard !channels.isEmpty else {
                    throw HubValidationError(.missingDevices, "the list of devices must not be empty")
                }
                chunks = stride(from: 0, to: channels.count, by: Self.maximumDeviceCount).map {
                    .devices(Array(channels[$0..<min($0 + Self.maximumDeviceCount, channels.count)]))
                }
            case .tags(let tags, let excluded):
                chunks = try TagExpression.expressions(forAnyOf: tags, excluding: excluded).map { .expression($0) }
            }
            for chunk in chunks { try chunk.check(for: notification) }
            return chunks
        }
    }
}

extension PushNotification.SendReport.Recipients {
    /// Throws if a notification cannot be sent to the recipients.
    func check(for notification: PushNotification) throws(HubValidationError) {
        try notification.checkSize()
        guard case .devices(let channels) = self else { return }
        for channel in channels {
            try channel.check(for: notification)
            guard channel.browserSubscription == nil else {
                throw HubValidationError(
                    .platformMismatch, "browsers are not supported in a batch: send to each device")
            }
        }
    }
}

extension TagExpression {
    /// Returns the fewest valid expressions that together select the devices with any of the tags and none of the excluded ones.
    static func expressions(
        forAnyOf tags: some Collection<NotificationHub.Tag>, excluding excluded: some Collection<NotificationHub.Tag>
    ) throws(HubValidationError) -> [TagExpression] {
        var seen: Set<NotificationHub.Tag> = []
        let excluded = excluded.filter { seen.insert($0).inserted }
        let included = tags.filter { seen.insert($0).inserted }
        guard !included.isEmpty else {
            throw HubValidationError(
                .missingTags,
                tags.isEmpty
                    ? "the list of tags must not be empty: use .everyone to send to every device"
                    : "every tag is also excluded: pass at least one other tag")
        }
        guard excluded.count < maximumTagCount else {
            throw HubValidationError(
                .tooManyTags,
                "\(excluded.count) excluded tags (at most \(maximumTagCount - 1), because an expression with ! has at most "
                    + "\(maximumTagCount) tags)", path: "excluding")
        }
        let chunkSize = excluded.isEmpty ? maximumTagCountOfAlternatives : maximumTagCount - excluded.count
        var expressions: [TagExpression] = []
        for start in stride(from: 0, to: included.count, by: chunkSize) {
            let chunk = any(of: included[start..<min(start + chunkSize, included.count)])
            let expression = excluded.isEmpty ? chunk : chunk && !any(of: excluded)
            try expression.validate()
            expressions.append(expression)
        }
        return expressions
    }
}
