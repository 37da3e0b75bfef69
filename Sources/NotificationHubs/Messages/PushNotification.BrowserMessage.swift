extension PushNotification {
    /// A message for browsers, in the format that the service documents: a JSON object with `title`, `body` and further members
    /// (Microsoft, "Web push notifications with Azure Notification Hubs").
    ///
    /// The page's service worker receives the object and shows it. The members have the names of the browser's notification
    /// options, so the worker can pass them on:
    ///
    /// ```js
    /// self.addEventListener("push", event => {
    ///   const message = event.data.json();
    ///   event.waitUntil(self.registration.showNotification(message.title, message));
    /// });
    /// ```
    public struct BrowserMessage: Hashable, Sendable {
        /// The title.
        public var title: String
        /// The message.
        public var body: String?
        /// The URL of an icon.
        public var icon: String?
        /// The URL of an image to show in the notification.
        public var image: String?
        /// The URL of an image to show if there is not enough space for the notification.
        public var badge: String?
        /// The tag: a notification replaces a shown one with the same tag.
        public var tag: String?
        /// The data for the service worker, such as the page to open.
        public var data: JSONObject

        /// Creates a message.
        public init(
            title: String, body: String? = nil, icon: String? = nil, image: String? = nil, badge: String? = nil,
            tag: String? = nil, data: JSONObject = [:]
        ) {
            self.title = title
            self.body = body
            self.icon = icon
            self.image = image
            self.badge = badge
            self.tag = tag
            self.data = data
        }
    }

    /// The largest message that a browser's push service must accept, in bytes, before its encryption (RFC 8030 §7.2, RFC 8291 §4).
    public static let maximumBrowserByteCount = BrowserRules.maximumByteCount

    /// Returns a notification for browsers.
    ///
    /// - Throws: ``HubValidationError`` if the body has more than ``maximumBrowserByteCount`` bytes.
    public static func browser(message: BrowserMessage) throws(HubValidationError) -> PushNotification {
        var object = JSONObject(present: [
            ("title", message.title), ("body", message.body), ("icon", message.icon), ("image", message.image),
            ("badge", message.badge), ("tag", message.tag),
        ])
        object["data"] = message.data.isEmpty ? nil : .object(message.data)
        let body = JSONValue.object(object).bytes
        try checkSize(body.count, limit: maximumBrowserByteCount)
        return PushNotification(.browser, body: body, contentType: jsonContentType)
    }
}
