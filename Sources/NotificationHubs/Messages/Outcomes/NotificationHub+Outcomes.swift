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
        let response = try await post(notification, target.headers(), flag: "test=true")
        guard let outcome = PushNotification.TestOutcome(response) else {
            throw HubError(unreadable: response, "the test message was taken, but its outcome cannot be read")
        }
        return outcome
    }

    /// What became of a notification. This needs a hub of the Standard tier.
    ///
    /// - Parameter id: what the service called the notification when it took it.
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if there is no such notification, or nothing to be said
    ///   of it yet, which lasts from seconds to half an hour.
    public func outcome(of id: NotificationID) async throws -> PushNotification.Outcome {
        let response = try await send(.get, "messages", id.text, accepting: [200])
        guard let outcome = PushNotification.Outcome(response.body) else {
            throw HubError(unreadable: response, "the outcome cannot be read")
        }
        return outcome
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
    ///   - duration: after how long to end although no state was terminal, from the first question on.
    ///   - clock: what measures the time and sleeps.
    public func outcomes(
        of id: NotificationID, every interval: Duration = .seconds(10), for duration: Duration = .seconds(1800),
        clock: some Clock<Duration> = ContinuousClock()
    ) -> OutcomeSequence {
        OutcomeSequence(interval: interval, duration: duration, clock: clock) { try await outcome(of: id) }
    }
}
