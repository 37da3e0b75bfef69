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
