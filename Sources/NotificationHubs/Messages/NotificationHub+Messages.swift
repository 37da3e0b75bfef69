import HubText

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension NotificationHub {
    /// Sends a notification to the devices of a target.
    ///
    /// ```swift
    /// let receipt = try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
    /// ```
    ///
    /// - Returns: what the service calls the notification. That it was taken does not mean that a device has got it.
    /// - Throws: ``HubError``, with the code ``HubError/Code/mayHaveBeenAccepted`` if no response tells whether the service
    ///   has taken it: sending again may then show the notification twice. ``HubValidationError``, before anything is sent, for a target or a body
    ///   that the service would not take.
    @discardableResult
    public func send(
        _ notification: PushNotification, to target: PushNotification.Target
    ) async throws -> PushNotification.Receipt {
        try await perform(Operation("send", notification, target.headers()) { PushNotification.Receipt($0) })
    }

    /// Sends a notification to one device, by the handle that its platform gave to it. The hub need not know the device.
    ///
    /// ```swift
    /// try await hub.send(.apple(#"{"aps":{"alert":"Hello"}}"#), to: .device(.apple(deviceToken: token)))
    /// ```
    ///
    /// - Returns: what the service calls the notification.
    /// - Throws: as a send to a target does; ``HubValidationError`` also for a handle of another platform.
    @discardableResult
    public func send(
        _ notification: PushNotification, to device: PushNotification.Direct
    ) async throws -> PushNotification.Receipt {
        try await perform(
            Operation("sendDirect", notification, device.headers(for: notification), query: "direct=true") {
                PushNotification.Receipt($0)
            })
    }
}

extension Operation {
    /// A request that sends a notification.
    ///
    /// - Parameter targetHeaders: the headers that the target adds.
    init(
        _ name: HubEvent.Operation, _ notification: PushNotification, to path: PathTemplate = .messages,
        _ targetHeaders: HubHeaders, query: String? = nil,
        decode: @escaping @Sendable (HubResponse) throws -> Response
    ) throws {
        try notification.checkSize()
        self.init(
            name, .post, path, query: [query], headers: notification.requestHeaders(targetHeaders),
            body: notification.body, successes: [200, 201], decode: decode)
    }
}

extension PushNotification {
    /// The headers of a request that sends it.
    ///
    /// - Parameter targetHeaders: what the target adds.
    func requestHeaders(_ targetHeaders: HubHeaders) -> HubHeaders {
        var all: HubHeaders = ["Content-Type": contentType, "ServiceBusNotification-Format": format.name]
        for header in headers { all[header.name] = header.value }
        // Last, so that no header of a platform can stand in for the target's.
        for (name, value) in targetHeaders { all[name] = value }
        return all
    }
}

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
