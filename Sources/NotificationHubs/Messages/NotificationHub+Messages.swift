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
    /// try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
    /// ```
    ///
    /// - Returns: The service's IDs for the notification. An accepted notification is not necessarily delivered.
    /// - Throws: ``HubError``, with the code ``HubError/Code/mayHaveBeenAccepted`` if the service may have accepted the
    ///   notification: sending it again can deliver it twice. ``HubValidationError``, before anything is sent, if the target or
    ///   the body is invalid.
    @discardableResult
    public func send(
        _ notification: PushNotification, to target: PushNotification.Target
    ) async throws -> PushNotification.Receipt {
        try check(notification)
        return try await perform(Operation("send", notification, target.headers()) { PushNotification.Receipt($0) })
    }

    /// Sends a notification to one device, addressed by its push channel. The device does not need to be registered.
    ///
    /// ```swift
    /// try await hub.send(.apple(#"{"aps":{"alert":"Hello"}}"#), to: .device(.apple(deviceToken: token)))
    /// ```
    ///
    /// - Returns: The service's IDs for the notification.
    /// - Throws: The same errors as a send to a target; ``HubValidationError`` also for an invalid push channel or one of
    ///   another platform.
    @discardableResult
    public func send(
        _ notification: PushNotification, to device: PushNotification.Direct
    ) async throws -> PushNotification.Receipt {
        try check(notification)
        return try await perform(
            Operation("sendDirect", notification, device.headers(for: notification), query: "direct=true") {
                PushNotification.Receipt($0)
            })
    }

    /// Throws for a notification that its platform would refuse, if the client's options say so.
    func check(_ notification: PushNotification) throws(HubValidationError) {
        if connection.options.checksNotifications { try notification.problems.throwFailure() }
    }
}

extension Operation {
    /// Creates an operation that sends a notification.
    ///
    /// - Parameter targetHeaders: The headers of the target.
    init(
        _ name: HubEvent.OperationName, _ notification: PushNotification, to path: PathTemplate = .messages,
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
    /// Returns the headers of a request that sends the notification.
    ///
    /// - Parameter targetHeaders: The headers of the target.
    func requestHeaders(_ targetHeaders: HubHeaders) -> HubHeaders {
        var all: HubHeaders = ["Content-Type": contentType, "ServiceBusNotification-Format": format.name]
        for header in headers { all[header.name] = header.value }
        // Last, so that no header of a platform replaces one of the target.
        for (name, value) in targetHeaders { all[name] = value }
        return all
    }
}

extension NotificationHub {
    /// Schedules a notification. This requires a hub of the Standard tier.
    ///
    /// - Parameters:
    ///   - notification: The notification to send.
    ///   - target: The devices to send it to.
    ///   - date: The time to send it, rounded down to whole seconds. The service accepts times from five minutes to seven days
    ///     in the future, by its own clock.
    /// - Returns: The notification's ID, for ``cancelScheduledNotification(_:)``.
    /// - Throws: The same errors as a send; ``HubValidationError`` also for a time in the past; ``HubError`` with the code
    ///   ``HubError/Code/mayHaveBeenAccepted`` also if the service scheduled the notification, but returned no ID.
    public func schedule(
        _ notification: PushNotification, to target: PushNotification.Target, at date: Date
    ) async throws -> PushNotification.ID {
        try await schedule(notification, to: target, at: date, now: Date())
    }

    /// Schedules a notification.
    ///
    /// - Parameter now: The current time.
    func schedule(
        _ notification: PushNotification, to target: PushNotification.Target, at date: Date, now: Date
    ) async throws -> PushNotification.ID {
        var headers = try target.headers()
        try check(notification)
        try notification.checkSize()
        guard date > now, let time = Timestamp(date)?.text else {
            throw HubValidationError(.invalidDate, "the time to send must be in the future and before the year 10000")
        }
        headers["ServiceBusNotification-ScheduleTime"] = String(time.dropLast())
        return try await perform(
            Operation("schedule", notification, to: .scheduledNotifications, headers) { response in
                let receipt = PushNotification.Receipt(response)
                guard let id = receipt.notificationID else {
                    var error = HubError(
                        unreadable: response, "the notification was scheduled, but the response has no ID to cancel it")
                    error.code = .mayHaveBeenAccepted
                    throw error
                }
                return id
            })
    }

    /// Cancels a scheduled notification.
    ///
    /// - Parameter id: The ID from ``schedule(_:to:at:)``.
    /// - Returns: `false` if the service does not find the notification: it was already sent or cancelled, possibly by an
    ///   earlier attempt of this call whose response was lost.
    /// - Throws: ``HubError``.
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
    /// Sends a test notification to at most ten devices of a target, and returns the platforms' results.
    ///
    /// The service chooses the devices. It does not support test sends to a push channel.
    ///
    /// - Returns: The result for each device.
    /// - Throws: The same errors as a send; ``HubError`` with the code ``HubError/Code/invalidResponse`` if the service
    ///   executed the test send, but its response cannot be parsed.
    public func testSend(
        _ notification: PushNotification, to target: PushNotification.Target
    ) async throws -> PushNotification.TestOutcome {
        try check(notification)
        return try await perform(
            Operation("testSend", notification, target.headers(), query: "test=true") { response in
                guard let outcome = PushNotification.TestOutcome(response) else {
                    throw HubError(unreadable: response, "the test send was accepted, but its outcome cannot be read")
                }
                return outcome
            })
    }

    /// Returns the outcome of a notification. This requires a hub of the Standard tier.
    ///
    /// - Parameter id: The notification's ID, from ``PushNotification/Receipt``.
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if the notification is unknown or its outcome is not
    ///   available yet. It becomes available after a few seconds to half an hour.
    public func outcome(of id: PushNotification.ID) async throws -> PushNotification.Outcome {
        try await perform(
            Operation("outcome", .get, .message, id.rawValue) { response in
                guard let outcome = PushNotification.Outcome(response.body) else {
                    throw HubError(unreadable: response, "the outcome cannot be read")
                }
                return outcome
            })
    }

    /// Returns a sequence that polls the outcome of a notification until its state is terminal.
    ///
    /// ```swift
    /// for try await outcome in hub.outcomes(of: id) { print(outcome) }
    /// ```
    ///
    /// - Parameters:
    ///   - id: The notification's ID, from ``PushNotification/Receipt``.
    ///   - interval: The time between a response and the next request; at least ``OutcomeSequence/minimumInterval``.
    ///   - timeout: The time from the first request after which the sequence ends without a terminal state.
    ///   - clock: The clock that measures the times.
    public func outcomes(
        of id: PushNotification.ID, every interval: Duration = .seconds(10), timeout: Duration = .seconds(1800),
        clock: some Clock<Duration> = ContinuousClock()
    ) -> OutcomeSequence {
        OutcomeSequence(interval: interval, duration: timeout, clock: clock) { try await outcome(of: id) }
    }
}
