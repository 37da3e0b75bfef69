extension NotificationHub {
    /// What the platforms have said of devices that messages did not reach: of a hub of the Standard tier, kept in a blob
    /// container by the service.
    ///
    /// ```swift
    /// for try await feedback in hub.feedback() where feedback.result == .expiredChannel {
    ///     print(feedback.installationID ?? feedback.registrationID ?? "a device of old")
    /// }
    /// ```
    ///
    /// The hub removes devices of expired handles by itself; this is for programs that keep handles, too.
    public func feedback() -> FeedbackSequence {
        FeedbackSequence(hub: self)
    }

    /// The container that has the feedback, by a URL that opens it for some time: a secret.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/invalidResponse`` for an answer that is no such URL.
    public func feedbackContainer() async throws -> StorageURL {
        try await perform(Operation("feedbackContainer", .get, .feedbackContainer) { try container($0) })
    }
}
