extension PushNotification {
    /// A toast or tile through the Microsoft Push Notification Service, of Windows Phone.
    ///
    /// - Parameters:
    ///   - xml: the element `Notification` with a `Toast` or a `Tile` in it, which says what it is.
    ///   - additionalHeaders: further headers; each name begins with `X-`.
    /// - Throws: ``Invalid`` for a body that is no XML, of another shape or too large, and for a header that is not allowed.
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
    /// - Throws: ``Invalid`` for a body that is too large, and for a header that is not allowed.
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
