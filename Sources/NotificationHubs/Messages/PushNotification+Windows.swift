import HubText

extension PushNotification {
    /// The largest raw notification for Windows that a hub accepts, in bytes: 5 KB.
    ///
    /// Windows Push Notification Services (WNS) document 5,000 bytes, which ``problems`` checks.
    public static let maximumRawByteCount = 5 * 1024

    /// Returns a toast, tile or badge for Windows Push Notification Services (WNS).
    ///
    /// - Parameters:
    ///   - xml: The notification's XML. The root element must be `toast`, `tile` or `badge`.
    ///   - options: Additional headers.
    /// - Throws: ``HubValidationError`` if the body is not XML, has another root element or is too large, or if a header is
    ///   invalid.
    public static func windows(xml: String, options: WindowsOptions = WindowsOptions()) throws(HubValidationError)
        -> PushNotification
    {
        let root = try XMLElement(notification: xml)
        guard ["toast", "tile", "badge"].contains(where: { $0.hasSameBytes(as: root.name) }) else {
            throw HubValidationError(.invalidPayload, "the root element must be toast, tile or badge")
        }
        return PushNotification(
            .windows, body: Array(xml.utf8), contentType: "application/xml",
            headers: try options.headers(type: "wns/" + root.name))
    }

    /// Returns a raw notification for Windows Push Notification Services (WNS), in a format that the app defines.
    ///
    /// - Throws: ``HubValidationError`` if the body has more than ``maximumRawByteCount`` bytes, or if a header is invalid.
    public static func windowsRaw(_ bytes: some Sequence<UInt8>, options: WindowsOptions = WindowsOptions())
        throws(HubValidationError) -> PushNotification
    {
        let body = Array(bytes)
        try checkSize(body.count, limit: maximumRawByteCount)
        return PushNotification(
            .windows, body: body, contentType: "application/octet-stream",
            headers: try options.headers(type: "wns/raw"))
    }

    /// Additional headers of a notification to Windows (Microsoft, "Push notification service request and response headers").
    public struct WindowsOptions: Hashable, Sendable {
        /// The time to live (`X-WNS-TTL`), rounded down to whole seconds; at least one second; `nil` for
        /// the platform's default.
        public var timeToLive: Duration?
        /// Whether the notification is stored for an offline device (`X-WNS-Cache-Policy`); `nil` for the platform's default.
        public var isCached: Bool?
        /// The tag (`X-WNS-Tag`), at most 16 characters. A later notification with the same tag replaces this one.
        public var tag: String?
        /// The group (`X-WNS-Group`). The notifications of a group can be removed together.
        public var group: String?
        /// Whether a toast appears only in the notification center (`X-WNS-SuppressPopup`).
        public var suppressesPopup: Bool
        /// Additional headers. Each name must begin with `X-WNS-`.
        public var additionalHeaders: [String: String]

        /// Creates options. By default, only the notification's type is sent.
        public init(
            timeToLive: Duration? = nil, isCached: Bool? = nil, tag: String? = nil, group: String? = nil,
            suppressesPopup: Bool = false, additionalHeaders: [String: String] = [:]
        ) {
            self.timeToLive = timeToLive
            self.isCached = isCached
            self.tag = tag
            self.group = group
            self.suppressesPopup = suppressesPopup
            self.additionalHeaders = additionalHeaders
        }

        /// The longest tag that Windows accepts, in characters.
        package static let maximumTagLength = 16
    }
}

extension PushNotification.WindowsOptions {
    fileprivate func headers(type: String) throws(HubValidationError) -> [PushNotification.Header] {
        if let timeToLive, timeToLive < .seconds(1) || timeToLive > .seconds(UInt32.max) {
            throw HubValidationError(
                .invalidHeader, "must be at least one second and at most \(UInt32.max)", path: "X-WNS-TTL")
        }
        if let tag, tag.utf8.count > Self.maximumTagLength {
            throw HubValidationError(
                .invalidHeader, "must have at most \(Self.maximumTagLength) characters", path: "X-WNS-Tag")
        }
        let values: [(String, String?)] = [
            ("X-WNS-Type", type),
            ("X-WNS-TTL", timeToLive.map { String($0.components.seconds) }),
            ("X-WNS-Cache-Policy", isCached.map { $0 ? "cache" : "no-cache" }),
            ("X-WNS-Tag", tag),
            ("X-WNS-Group", group),
            ("X-WNS-SuppressPopup", suppressesPopup ? "true" : nil),
        ]
        var headers: [PushNotification.Header] = []
        for case (let name, let value?) in values { headers.append(try PushNotification.Header(name, value)) }
        return try headers.adding(additionalHeaders, prefix: "X-WNS-")
    }
}

extension [PushNotification.Header] {
    /// Returns the headers with additional ones, which must begin with a prefix and must not repeat a header.
    func adding(_ additionalHeaders: [String: String], prefix: String) throws(HubValidationError) -> Self {
        var headers = self
        for (name, value) in additionalHeaders.sorted(by: { $0.key < $1.key }) {
            let header = try PushNotification.Header(name, value)
            guard name.utf8.count > prefix.utf8.count, name.prefix(prefix.count).lowercased() == prefix.lowercased(),
                !headers.contains(where: { $0.name.lowercased() == name.lowercased() })
            else {
                throw HubValidationError(
                    .invalidHeader, "must begin with \(prefix) and must not repeat an option", path: name)
            }
            headers.append(header)
        }
        return headers
    }
}

extension XMLElement {
    /// Parses a notification's XML.
    ///
    /// - Throws: ``HubValidationError`` if it is too large or not XML.
    init(notification xml: String) throws(HubValidationError) {
        try PushNotification.checkSize(xml.utf8.count, limit: PushNotification.maximumByteCount)
        do {
            self = try XMLReader.read(Array(xml.utf8))
        } catch {
            throw HubValidationError(
                .invalidPayload, "the body is not valid XML at byte \(error.offset)", offset: error.offset)
        }
    }
}

extension PushNotification {
    /// Returns a toast or tile for Windows Phone (Microsoft Push Notification Service).
    ///
    /// - Parameters:
    ///   - xml: The element `Notification`, which must contain a `Toast` or a `Tile`.
    ///   - additionalHeaders: Additional headers. Each name must begin with `X-`.
    /// - Throws: ``HubValidationError`` if the body is not XML, has other elements or is too large, or if a header is invalid.
    public static func windowsPhone(xml: String, additionalHeaders: [String: String] = [:]) throws(HubValidationError)
        -> PushNotification
    {
        let root = try XMLElement(notification: xml)
        let isToast = root["Toast"] != nil
        guard root.localName == "Notification", isToast || root["Tile"] != nil else {
            throw HubValidationError(
                .invalidPayload, "the root element must be Notification and contain a Toast or a Tile")
        }
        let headers = [
            // Windows Phone calls a tile a token.
            try Header("X-WindowsPhone-Target", isToast ? "toast" : "token"),
            try Header("X-NotificationClass", isToast ? "2" : "1"),
        ]
        return PushNotification(
            .windowsPhone, body: Array(xml.utf8), contentType: "application/xml",
            headers: try headers.adding(additionalHeaders, prefix: "X-"))
    }

    /// Returns a raw notification for Windows Phone, in a format that the app defines.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - additionalHeaders: Additional headers. Each name must begin with `X-`.
    /// - Throws: ``HubValidationError`` if the body is too large, or if a header is invalid.
    public static func windowsPhoneRaw(_ bytes: some Sequence<UInt8>, additionalHeaders: [String: String] = [:])
        throws(HubValidationError)
        -> PushNotification
    {
        let body = Array(bytes)
        try checkSize(body.count, limit: maximumByteCount)
        return PushNotification(
            .windowsPhone, body: body, contentType: "application/xml",
            headers: try [Header("X-NotificationClass", "3")].adding(additionalHeaders, prefix: "X-"))
    }
}
