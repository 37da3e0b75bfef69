extension NotificationHub {
    /// Sends a notification for trial, and waits for what the platforms say. Ten devices at most get it, chosen by the
    /// service.
    ///
    /// Not for single devices by their handles: the service does not do that.
    ///
    /// - Returns: what became of it at each device.
    /// - Throws: as a send does; ``HubError`` with the code ``HubError/Code/invalidResponse`` if the service took it, and its
    ///   answer cannot be read.
    @discardableResult
    public func testSend(
        _ notification: PushNotification, to target: PushNotification.Target
    ) async throws -> PushNotification.TestOutcome {
        try await perform(
            Operation("testSend", notification, target.headers(), query: "test=true") { response in
                guard let outcome = PushNotification.TestOutcome(response) else {
                    throw HubError(unreadable: response, "the test message was taken, but its outcome cannot be read")
                }
                return outcome
            })
    }

    /// What became of a notification. This needs a hub of the Standard tier.
    ///
    /// - Parameter id: what the service called the notification when it took it.
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if there is no such notification, or nothing to be said
    ///   of it yet, which lasts from seconds to half an hour.
    public func outcome(of id: PushNotification.ID) async throws -> PushNotification.Outcome {
        try await perform(
            Operation("outcome", .get, .message, id.rawValue) { response in
                guard let outcome = PushNotification.Outcome(response.body) else {
                    throw HubError(unreadable: response, "the outcome cannot be read")
                }
                return outcome
            })
    }

    /// What becomes of a notification, asked for again and again until nothing will change any more.
    ///
    /// ```swift
    /// for try await outcome in hub.outcomes(of: id) { print(outcome) }
    /// ```
    ///
    /// - Parameters:
    ///   - id: what the service called the notification when it took it.
    ///   - interval: how long to wait between an answer and the next question: ``OutcomeSequence/minimumInterval`` at least.
    ///   - timeout: after how long to end although no state was terminal, from the first question on.
    ///   - clock: what measures the time and sleeps.
    public func outcomes(
        of id: PushNotification.ID, every interval: Duration = .seconds(10), timeout: Duration = .seconds(1800),
        clock: some Clock<Duration> = ContinuousClock()
    ) -> OutcomeSequence {
        OutcomeSequence(interval: interval, duration: timeout, clock: clock) { try await outcome(of: id) }
    }
}
