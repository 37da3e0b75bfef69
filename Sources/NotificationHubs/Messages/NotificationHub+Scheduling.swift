import HubText

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension NotificationHub {
    /// Has the service send a notification later. This needs a hub of the Standard tier.
    ///
    /// - Parameters:
    ///   - notification: what to send.
    ///   - target: whom it is for.
    ///   - date: when, in whole seconds; a fraction is cut off. The service takes times from five minutes to seven days
    ///     ahead, by its own clock, and is the one to judge that; a time that is past is refused here.
    /// - Returns: the notification's id, for ``cancelScheduledNotification(_:)``.
    /// - Throws: as a send does; ``HubValidationError`` also for a time that is past; ``HubError`` with the code
    ///   ``HubError/Code/invalidResponse`` if the service scheduled the notification, but returned no id.
    @discardableResult
    public func schedule(
        _ notification: PushNotification, to target: PushNotification.Target, at date: Date
    ) async throws -> PushNotification.ID {
        try await schedule(notification, to: target, at: date, now: Date())
    }

    /// Has the service send a notification later.
    ///
    /// - Parameter now: the time before which nothing can be scheduled.
    func schedule(
        _ notification: PushNotification, to target: PushNotification.Target, at date: Date, now: Date
    ) async throws -> PushNotification.ID {
        var headers = try target.headers()
        try notification.checkSize()
        guard date > now, let time = Timestamp(date)?.text else {
            throw HubValidationError(.invalidDate, "the time to send must be in the future and before the year 10000")
        }
        headers["ServiceBusNotification-ScheduleTime"] = String(time.dropLast())
        return try await perform(
            Operation("schedule", notification, to: .scheduledNotifications, headers) { response in
                let receipt = PushNotification.Receipt(response)
                guard let id = receipt.notificationID else {
                    throw HubError(unreadable: response, "the notification was scheduled, but the response has no id")
                }
                return id
            })
    }

    /// Takes back a scheduled notification.
    ///
    /// - Parameter id: what the service called it when it was scheduled.
    /// - Returns: `false` if the service knows no such notification: it was sent or cancelled before.
    /// - Throws: ``HubError``.
    @discardableResult
    public func cancelScheduledNotification(_ id: PushNotification.ID) async throws -> Bool {
        do {
            try await perform(
                Operation(
                    "cancelScheduledNotification", .delete, .scheduledNotification, id.rawValue, successes: [200, 204]
                ) {
                    _ in
                })
            return true
        } catch let error as HubError where error.code == .notFound {
            return false
        }
    }
}
