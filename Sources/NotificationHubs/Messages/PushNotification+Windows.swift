extension PushNotification {
    /// The largest raw notification that the Windows Notification Service takes, in bytes: 5 KB.
    public static let maximumRawByteCount = 5 * 1024

    /// A toast, tile or badge through the Windows Notification Service.
    ///
    /// - Parameters:
    ///   - xml: the notification, in the words of Windows. Its root element says what it is.
    ///   - options: further headers.
    /// - Throws: ``HubValidationError`` for a body that is no XML, has another root element, or is too large, and for a header that is
    ///   not allowed.
    public static func windows(xml: String, options: WindowsOptions = WindowsOptions()) throws(HubValidationError)
        -> PushNotification
    {
        let root = try XMLElement(notification: xml)
        guard ["toast", "tile", "badge"].contains(where: { $0.utf8.elementsEqual(root.name.utf8) }) else {
            throw HubValidationError(.invalidPayload, "the root element must be toast, tile or badge")
        }
        return PushNotification(
            .windows, body: Array(xml.utf8), contentType: "application/xml",
            headers: try options.headers(type: "wns/" + root.name))
    }

    /// Bytes through the Windows Notification Service that the app alone understands.
    ///
    /// - Throws: ``HubValidationError`` for more than ``maximumRawByteCount`` bytes, and for a header that is not allowed.
    public static func windowsRaw(_ bytes: some Sequence<UInt8>, options: WindowsOptions = WindowsOptions())
        throws(HubValidationError) -> PushNotification
    {
        let body = Array(bytes)
        try checkSize(body.count, limit: maximumRawByteCount)
        return PushNotification(
            .windows, body: body, contentType: "application/octet-stream",
            headers: try options.headers(type: "wns/raw"))
    }

    /// Further headers of a notification to Windows (Microsoft, "Push notification service request and response headers").
    public struct WindowsOptions: Hashable, Sendable {
        /// `X-WNS-TTL`: for how long it is worth delivering; whole seconds, one at least. If `nil`, Windows decides.
        public var timeToLive: Duration?
        /// `X-WNS-Cache-Policy`: whether it is kept for a device that is offline. If `nil`, Windows decides.
        public var isCached: Bool?
        /// `X-WNS-Tag`: by which a later notification replaces it; 16 characters at most.
        public var tag: String?
        /// `X-WNS-Group`: of which notifications can be removed together.
        public var group: String?
        /// `X-WNS-SuppressPopup`: a toast goes to the action centre alone.
        public var suppressesPopup: Bool
        /// Further headers; each name begins with `X-WNS-`.
        public var additionalHeaders: [String: String]

        /// Headers; by default there are none but the type.
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

        /// The longest tag that Windows takes, in characters.
        public static let maximumTagLength = 16
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
                .invalidHeader, "at most \(Self.maximumTagLength) characters", path: "X-WNS-Tag")
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
    /// Adds headers that a caller named: each begins with a prefix, and none is there already.
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
    /// A notification's XML.
    ///
    /// - Throws: ``HubValidationError`` if it is too large to be sent, or no XML that the reader takes.
    init(notification xml: String) throws(HubValidationError) {
        try PushNotification.checkSize(xml.utf8.count, limit: PushNotification.maximumByteCount)
        do {
            self = try XMLReader.read(Array(xml.utf8))
        } catch {
            throw HubValidationError(
                .invalidPayload, "the body is not XML from byte \(error.offset) on", offset: error.offset)
        }
    }
}

extension PushNotification {
    /// A toast or tile through the Microsoft Push Notification Service, of Windows Phone.
    ///
    /// - Parameters:
    ///   - xml: the element `Notification` with a `Toast` or a `Tile` in it, which says what it is.
    ///   - additionalHeaders: further headers; each name begins with `X-`.
    /// - Throws: ``HubValidationError`` for a body that is no XML, of another shape or too large, and for a header that is not allowed.
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
            // A tile is called a token there.
            try Header("X-WindowsPhone-Target", isToast ? "toast" : "token"),
            try Header("X-NotificationClass", isToast ? "2" : "1"),
        ]
        return PushNotification(
            .windowsPhone, body: Array(xml.utf8), contentType: "application/xml",
            headers: try headers.adding(additionalHeaders, prefix: "X-"))
    }

    /// Bytes through the Microsoft Push Notification Service, of Windows Phone, that the app alone understands.
    ///
    /// - Parameters:
    ///   - bytes: the body.
    ///   - additionalHeaders: further headers; each name begins with `X-`.
    /// - Throws: ``HubValidationError`` for a body that is too large, and for a header that is not allowed.
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
