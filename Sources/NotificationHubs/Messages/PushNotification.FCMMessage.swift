extension PushNotification {
    /// A message for Firebase Cloud Messaging (Google, "REST Resource: projects.messages", HTTP v1 API).
    ///
    /// ```swift
    /// var message = PushNotification.FCMMessage(notification: .init(title: "Goal", body: "2:1"), data: ["match": "7"])
    /// message.android = .init(priority: .high, timeToLive: .seconds(600))
    /// try await hub.send(.fcmV1(message: message), to: .tag("football"))
    /// ```
    ///
    /// The hub adds the device. Without a notification, the app receives the data and shows what it chooses.
    public struct FCMMessage: Hashable, Sendable {
        /// The notification that every platform shows; `nil` for a data message.
        public var notification: Notification?
        /// The data for the app. Firebase accepts only strings as values.
        public var data: [String: String]
        /// Settings for Android devices.
        public var android: Android?
        /// Settings for Apple devices that Firebase serves.
        public var apple: Apple?
        /// Settings for browsers that Firebase serves.
        public var web: Web?

        /// Creates a message.
        public init(
            notification: Notification? = nil, data: [String: String] = [:], android: Android? = nil,
            apple: Apple? = nil,
            web: Web? = nil
        ) {
            self.notification = notification
            self.data = data
            self.android = android
            self.apple = apple
            self.web = web
        }

        /// A notification that every platform shows.
        public struct Notification: Hashable, Sendable {
            /// The title.
            public var title: String?
            /// The message.
            public var body: String?
            /// The URL of an image, which the device downloads.
            public var image: String?

            /// Creates a notification.
            public init(title: String? = nil, body: String? = nil, image: String? = nil) {
                self.title = title
                self.body = body
                self.image = image
            }
        }

        /// Settings for Apple devices (`apns`).
        public struct Apple: Hashable, Sendable {
            /// The headers for Apple, such as `apns-priority`.
            public var headers: [String: String]
            /// The payload, with its member `aps`.
            public var payload: JSONObject

            /// Creates settings.
            public init(headers: [String: String] = [:], payload: JSONObject = [:]) {
                self.headers = headers
                self.payload = payload
            }
        }

        /// Settings for browsers (`webpush`).
        public struct Web: Hashable, Sendable {
            /// The headers of the Web Push protocol, such as `TTL` and `Urgency`.
            public var headers: [String: String]
            /// The data, which replaces that of the message.
            public var data: [String: String]
            /// The members of the browser's `Notification`, such as `title` and `icon`.
            public var notification: JSONObject
            /// The URL to open when the user clicks the notification; `https`.
            public var link: String?

            /// Creates settings.
            public init(
                headers: [String: String] = [:], data: [String: String] = [:], notification: JSONObject = [:],
                link: String? = nil
            ) {
                self.headers = headers
                self.data = data
                self.notification = notification
                self.link = link
            }
        }
    }

    /// The largest data and notification that Firebase accepts, in bytes: 4 KB of names and values together.
    public static let maximumFCMByteCount = FirebaseRules.maximumByteCount

    /// Returns a notification for Firebase Cloud Messaging, wrapped in `{"message":{…}}` as Firebase requires.
    ///
    /// - Throws: ``HubValidationError`` if the data has a name that Firebase reserves, if the data and the notification together
    ///   have more than ``maximumFCMByteCount`` bytes, if a time to live is out of its range, or if the body is too large.
    public static func fcmV1(message: FCMMessage) throws(HubValidationError) -> PushNotification {
        let body: JSONObject = ["message": .object(message.json())]
        let notification = PushNotification(
            .fcmV1, body: JSONValue.object(body).bytes, contentType: jsonContentType)
        try FirebaseRules.problems(in: body, byteCount: notification.body.count).throwFailure()
        try notification.checkSize()
        return notification
    }
}

extension PushNotification.FCMMessage {
    fileprivate func json() -> JSONObject {
        var message: JSONObject = [:]
        message["notification"] = notification.map { .object($0.json) }
        message["data"] = .texts(data)
        message["android"] = android.map { .object($0.json) }
        message["apns"] = apple.map { .object($0.json) }
        message["webpush"] = web.map { .object($0.json) }
        return message
    }
}

extension PushNotification.FCMMessage.Notification {
    fileprivate var json: JSONObject {
        JSONObject(present: [("title", title), ("body", body), ("image", image)])
    }
}

extension PushNotification.FCMMessage.Apple {
    fileprivate var json: JSONObject {
        var apns: JSONObject = [:]
        apns["headers"] = .texts(headers)
        apns["payload"] = payload.isEmpty ? nil : .object(payload)
        return apns
    }
}

extension PushNotification.FCMMessage.Web {
    fileprivate var json: JSONObject {
        var webpush: JSONObject = [:]
        webpush["headers"] = .texts(headers)
        webpush["data"] = .texts(data)
        webpush["notification"] = notification.isEmpty ? nil : .object(notification)
        webpush["fcm_options"] = link.map { ["link": .string($0)] }
        return webpush
    }
}
