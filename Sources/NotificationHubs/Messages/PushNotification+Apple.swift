extension PushNotification {
    /// The largest payload that Apple accepts through a hub, in bytes: 4 KB.
    ///
    /// Apple accepts 5 KB for the push type `voip`, but a hub does not tell it from other types (Microsoft, "Use APNS VOIP through
    /// Notification Hubs"). The functions that create a notification from JSON do not check the limit: use ``problems``.
    public static let maximumAppleByteCount = AppleRules.maximumByteCount

    /// Returns a visible notification for Apple devices, with the push type `alert`.
    ///
    /// - Parameters:
    ///   - alert: The content.
    ///   - options: The headers. The default priority is 10.
    /// - Throws: ``HubValidationError`` if the alert would show nothing, if a value is out of its range, if the payload has more
    ///   than ``maximumAppleByteCount`` bytes, or if a header is invalid.
    public static func apple(
        alert: AppleAlert, options: AppleOptions = AppleOptions()
    ) throws(HubValidationError) -> PushNotification {
        try apple(try alert.aps(), data: alert.data, options.requiring(.alert))
    }

    /// Returns a silent notification that wakes an app in the background, with the push type `background` and priority 5.
    ///
    /// Apple delivers only a few of them per hour to a device.
    ///
    /// ```swift
    /// try await hub.send(.apple(backgroundData: ["feed": 7]), to: .tag("news"))
    /// ```
    ///
    /// - Parameters:
    ///   - data: The app's own members, next to `aps`.
    ///   - options: The headers. The priority must not be 10.
    /// - Throws: ``HubValidationError`` if the payload has more than ``maximumAppleByteCount`` bytes or a member `aps`, or if a
    ///   header is invalid.
    public static func apple(
        backgroundData data: JSONObject, options: AppleOptions = AppleOptions()
    ) throws(HubValidationError) -> PushNotification {
        try apple(["content-available": 1], data: data, options.requiring(.background))
    }

    /// Returns the start, an update or the end of a Live Activity, with the push type `liveactivity`.
    ///
    /// The topic of a Live Activity is `<bundle ID>.push-type.liveactivity`. A hub does not let a sender set the topic, so Live
    /// Activities need a second hub whose bundle ID, in its credentials for Apple, has this suffix. Send an update or an end to
    /// the push token of the activity, and a start to the push-to-start token, each of which the app sends to your server:
    ///
    /// ```swift
    /// let update = PushNotification.LiveActivity.update(state: ["score": "2:1"])
    /// let notification = try PushNotification.apple(liveActivity: update)
    /// let receipt = try await activities.send(notification, to: .device(.apple(hexDeviceToken: activityToken)))
    /// ```
    ///
    /// - Parameters:
    ///   - activity: The event.
    ///   - options: The headers. The priority must be 5 or 10, the default. Apple limits the number of updates with priority 10.
    /// - Throws: ``HubValidationError`` if a value is out of its range, if the payload has more than ``maximumAppleByteCount``
    ///   bytes, or if a header is invalid.
    public static func apple(
        liveActivity activity: LiveActivity, options: AppleOptions = AppleOptions()
    ) throws(HubValidationError) -> PushNotification {
        var options = try options.requiring(.liveActivity)
        options.priority = options.priority ?? .immediate
        return try apple(try activity.aps(), data: [:], options)
    }

    private static func apple(
        _ aps: JSONObject, data: JSONObject, _ options: AppleOptions
    ) throws(HubValidationError) -> PushNotification {
        guard data["aps"] == nil else {
            throw HubValidationError(.invalidPayload, "the member aps is reserved for Apple", path: "data/aps")
        }
        var payload = data
        payload["aps"] = .object(aps)
        let notification = PushNotification(
            .apple, body: JSONValue.object(payload).bytes, contentType: jsonContentType,
            headers: try options.headers(for: payload))
        try AppleRules.problems(
            in: payload, byteCount: notification.body.count, headers: notification.headers(for: .apple)
        ).throwFailure()
        return notification
    }
}

extension PushNotification.AppleOptions {
    /// Returns the options with the push type of a payload. Throws if they have another one.
    fileprivate func requiring(_ type: PushType) throws(HubValidationError) -> Self {
        guard pushType == nil || pushType == type else {
            throw HubValidationError(
                .invalidHeader, "must be \(type.rawValue) for this payload", path: "apns-push-type")
        }
        var options = self
        options.pushType = type
        return options
    }
}
