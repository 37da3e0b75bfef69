extension NotificationHub {
    /// Sends a notification to the devices with any of the tags, in the fewest requests.
    ///
    /// ```swift
    /// let report = try await hub.send(notification, toAnyOf: cities)
    /// try report.requireComplete()
    /// ```
    ///
    /// The service accepts 20 tags in an expression joined only by `||`, so *n* tags take ⌈*n* / 20⌉ expressions, each of which is
    /// a request. The service handles the requests separately: **a device with tags of several expressions receives the
    /// notification several times.** Up to 20 tags are one expression, which selects each device once.
    ///
    /// To avoid duplicates, use tags of which each device has at most one, such as its city, and exclude the tags of earlier sends:
    ///
    /// ```swift
    /// let first = try await hub.send(notification, toAnyOf: ["vip", "press"])
    /// let others = try await hub.send(notification, toAnyOf: cities, excluding: ["vip", "press"])
    /// ```
    ///
    /// The service accepts 6 tags in an expression with `!`, so *e* excluded tags leave 6 − *e* for each expression, and *n* tags
    /// take ⌈*n* / (6 − *e*)⌉. Because of this limit, the client cannot prevent duplicates by excluding the tags of the other expressions.
    ///
    /// If the service rejects an expression because of its content, the remaining ones are still sent. Any other failure and a
    /// cancellation stop the send. The report contains the reason; ``send(_:retrying:includingUncertain:)-(_,PushNotification.FanOutReport,_)``
    /// continues.
    ///
    /// - Parameters:
    ///   - notification: The notification to send.
    ///   - tags: The tags. Duplicates, and tags that are also excluded, are ignored.
    ///   - excluded: The tags whose devices do not receive the notification; at most 5.
    /// - Returns: The result of each expression, including those that were not sent. Check it: a failed expression does not throw.
    /// - Throws: ``HubValidationError``, before anything is sent, if the notification or a tag is invalid, if there is no tag to
    ///   send to, or if more than 5 tags are excluded; `CancellationError` or an error of the token source, if it occurs before
    ///   the first expression is sent. A ``HubError`` is part of the report.
    public func send(
        _ notification: PushNotification, toAnyOf tags: some Collection<NotificationHub.Tag>,
        excluding excluded: some Collection<NotificationHub.Tag> = [] as [NotificationHub.Tag]
    ) async throws -> PushNotification.FanOutReport {
        try notification.checkSize()
        let expressions = try TagExpression.expressions(forAnyOf: tags, excluding: excluded)
        return try await sendChunks(of: .init(notSent: expressions)) {
            try Operation("send", notification, PushNotification.Target.expression($0).headers()) { .init($0) }
        }
    }

    /// Retries the expressions of a fan-out that were not sent, or were rejected for a reason other than their content.
    ///
    /// - Parameters:
    ///   - notification: The notification of the first send.
    ///   - report: The result of the first send, or of its last retry.
    ///   - includingUncertain: Whether to also retry expressions that may have been accepted. Their devices can then receive the
    ///     notification twice.
    /// - Returns: The result of the whole send, including the expressions that were not retried.
    /// - Throws: The same errors as the first send; ``HubValidationError`` also if there is no expression to retry.
    public func send(
        _ notification: PushNotification, retrying report: PushNotification.FanOutReport,
        includingUncertain: Bool = false
    ) async throws -> PushNotification.FanOutReport {
        try notification.checkSize()
        let isRetried = { (chunk: PushNotification.FanOutReport.Chunk) in
            chunk.status.canRetry(includingUncertain: includingUncertain)
        }
        guard report.chunks.contains(where: isRetried) else {
            throw HubValidationError(.missingTags, "no expression of the report can be retried")
        }
        return try await sendChunks(of: report, where: isRetried) {
            try Operation("send", notification, PushNotification.Target.expression($0).headers()) { .init($0) }
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
