extension PushNotification {
    private static let jsonContentType = "application/json;charset=utf-8"

    /// A notification to Apple's devices.
    ///
    /// - Parameters:
    ///   - payload: a JSON object with a member `aps`, as a rule.
    ///   - options: the headers; by default the payload says whether it is shown or silent.
    /// - Throws: ``HubValidationError`` for a body that is no JSON object or too large, and for a header that is not allowed.
    public static func apple(_ payload: Payload, options: AppleOptions = AppleOptions()) throws(HubValidationError)
        -> PushNotification
    {
        let headers = try options.headers(for: try payload.object())
        return PushNotification(
            .apple, body: payload.bytes, contentType: jsonContentType, headers: headers)
    }

    /// A notification through Firebase Cloud Messaging, HTTP v1.
    ///
    /// - Parameter payload: `{"message":{…}}`, or what stands within: then it is wrapped, since without `message` it would
    ///   reach nobody.
    /// - Throws: ``HubValidationError`` for a body that is no JSON object or too large, and for a `message` that is no object.
    public static func fcmV1(_ payload: Payload) throws(HubValidationError) -> PushNotification {
        let body: [UInt8]
        switch try payload.object()["message"] {
        case .object?: body = payload.bytes
        case _?: throw HubValidationError(.invalidPayload, "expected an object", path: "message")
        case nil: body = Array(#"{"message":"#.utf8) + payload.bytes + Array("}".utf8)
        }
        try checkSize(body.count, limit: maximumByteCount)
        return PushNotification(.fcmV1, body: body, contentType: jsonContentType)
    }

    /// A notification through Google's older interface, which Google has switched off; hubs may still hold devices of it.
    ///
    /// - Throws: ``HubValidationError`` for a body that is no JSON object or too large.
    public static func gcm(_ payload: Payload) throws(HubValidationError) -> PushNotification {
        try json(.gcm, payload)
    }

    /// A notification through Amazon Device Messaging.
    ///
    /// - Throws: ``HubValidationError`` for a body that is no JSON object or too large.
    public static func adm(_ payload: Payload) throws(HubValidationError) -> PushNotification {
        try json(.adm, payload)
    }

    /// A notification to browsers. What its members mean is the page's own service worker's to say.
    ///
    /// - Throws: ``HubValidationError`` for a body that is no JSON object or too large.
    public static func browser(_ payload: Payload) throws(HubValidationError) -> PushNotification {
        try json(.browser, payload)
    }

    /// A notification through Xiaomi.
    ///
    /// - Throws: ``HubValidationError`` for a body that is no JSON object or too large.
    public static func xiaomi(_ payload: Payload) throws(HubValidationError) -> PushNotification {
        try json(.xiaomi, payload)
    }

    /// A notification through Baidu.
    ///
    /// - Parameters:
    ///   - payload: the message, a JSON object.
    ///   - messageType: `X-Baidu-Message-Type`: what kind of message it is, in Baidu's numbers. If `nil`, the service
    ///     decides.
    /// - Throws: ``HubValidationError`` for a body that is no JSON object or too large.
    public static func baidu(_ payload: Payload, messageType: Int? = nil) throws(HubValidationError) -> PushNotification
    {
        _ = try payload.object()
        var headers: [Header] = []
        if let messageType { headers.append(try Header("X-Baidu-Message-Type", String(messageType))) }
        return PushNotification(
            .baidu, body: payload.bytes, contentType: "application/json", headers: headers)
    }

    /// A JSON object for a platform that needs no header and no wrapper.
    package static func json(_ platform: PushPlatform, _ payload: Payload) throws(HubValidationError)
        -> PushNotification
    {
        _ = try payload.object()
        return PushNotification(platform, body: payload.bytes, contentType: jsonContentType)
    }
}

extension PushNotification {
    /// A JSON body: a text or bytes that are JSON already, or a value that is encoded.
    ///
    /// ```swift
    /// try .apple(#"{"aps":{"alert":"Hello"}}"#)      // a literal is JSON
    /// try .apple(.json(text))                        // so is a text that is said to be
    /// try .apple(.json(encoding: payload))                 // any other value is encoded
    /// ```
    ///
    /// Whether it is a JSON object, each name in it there once, is checked where a notification is made of it.
    public struct Payload: Hashable, Sendable, ExpressibleByStringLiteral {
        let bytes: [UInt8]

        /// A text that is JSON already. Do not put values into it by hand: encode them.
        public static func json(_ text: some StringProtocol) -> Payload {
            Payload(bytes: Array(text.utf8))
        }

        /// Bytes that are JSON already, in UTF-8.
        public static func json(_ bytes: some Sequence<UInt8>) -> Payload {
            Payload(bytes: Array(bytes))
        }

        /// A value's JSON, members in alphabetical order.
        ///
        /// - Throws: what the value's encoding throws.
        public static func json(encoding value: some Encodable) throws -> Payload {
            Payload(bytes: try JSON.encode(value))
        }

        /// JSON written in the program's source.
        public init(stringLiteral text: StaticString) {
            bytes = Array(text.description.utf8)
        }

        private init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        /// The object that it is.
        ///
        /// - Throws: ``HubValidationError`` if it is too large to be sent, or no JSON object.
        func object() throws(HubValidationError) -> JSONObject {
            try PushNotification.checkSize(bytes.count, limit: PushNotification.maximumByteCount)
            do {
                if case .object(let object) = try JSONValue(parsing: bytes) { return object }
            } catch {
                throw HubValidationError(.invalidPayload, "the body is not JSON: \(error)", offset: error.offset)
            }
            throw HubValidationError(.invalidPayload, "the body must be a JSON object")
        }
    }
}

extension PushNotification.Payload: CustomStringConvertible, CustomReflectable {
    /// The size; not the body.
    public var description: String { "\(bytes.count) bytes" }

    /// The size; not the body.
    public var customMirror: Mirror { Mirror(self, children: ["byteCount": bytes.count]) }
}
