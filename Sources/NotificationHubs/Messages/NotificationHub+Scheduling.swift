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
    /// - Returns: what the service calls the notification: the id by which ``cancelScheduled(_:)`` takes it back.
    /// - Throws: as a send does; ``PushNotification/Invalid`` also for a time that is past.
    @discardableResult
    public func schedule(
        _ notification: PushNotification, to target: PushNotification.Target, at date: Date
    ) async throws -> PushNotification.Receipt {
        try await schedule(notification, to: target, at: date, now: Date())
    }

    /// Has the service send a notification later.
    ///
    /// - Parameter now: the time before which nothing can be scheduled.
    func schedule(
        _ notification: PushNotification, to target: PushNotification.Target, at date: Date, now: Date
    ) async throws -> PushNotification.Receipt {
        var headers = try target.headers()
        try notification.checkSize()
        guard date > now, let time = Timestamp(date)?.text else {
            throw PushNotification.Invalid(.time, "the time to send is past, or after the year 9999")
        }
        headers["ServiceBusNotification-ScheduleTime"] = String(time.dropLast())
        return PushNotification.Receipt(
            try await send(
                .post, "schedulednotifications", headers: notification.requestHeaders(headers), body: notification.body,
                accepting: [200, 201]))
    }

    /// Takes back a scheduled notification.
    ///
    /// - Parameter id: what the service called it when it was scheduled.
    /// - Returns: `false` if the service knows no such notification: it was sent or cancelled before.
    /// - Throws: ``HubError``.
    @discardableResult
    public func cancelScheduled(_ id: NotificationID) async throws -> Bool {
        do {
            _ = try await send(.delete, "schedulednotifications", id.text, accepting: [200, 204])
            return true
        } catch let error as HubError where error.code == .notFound {
            return false
        }
    }
}
