import HubText

extension PushNotification {
    static let jsonContentType = "application/json;charset=utf-8"

    /// Returns a notification for Apple devices.
    ///
    /// - Parameters:
    ///   - payload: A JSON object, usually with a member `aps`.
    ///   - options: The headers. By default, the payload determines whether the notification is an alert or silent.
    /// - Throws: ``HubValidationError`` if the body is not a JSON object or is too large, or if a header is invalid.
    public static func apple(_ payload: Payload, options: AppleOptions = AppleOptions()) throws(HubValidationError)
        -> PushNotification
    {
        let headers = try options.headers(for: try payload.object())
        return PushNotification(
            .apple, body: payload.bytes, contentType: jsonContentType, headers: headers)
    }

    /// Returns a notification for Firebase Cloud Messaging (HTTP v1 API).
    ///
    /// - Parameter payload: A JSON object `{"message":{…}}` without a token, which the hub adds.
    /// - Throws: ``HubValidationError`` if the body is not a JSON object or is too large.
    public static func fcmV1(_ payload: Payload) throws(HubValidationError) -> PushNotification {
        try json(.fcmV1, payload)
    }

    /// Returns a notification for Firebase's legacy API, which Google has shut down. Hubs can still contain such devices.
    ///
    /// - Throws: ``HubValidationError`` if the body is not a JSON object or is too large.
    public static func gcm(_ payload: Payload) throws(HubValidationError) -> PushNotification {
        try json(.gcm, payload)
    }

    /// Returns a notification for Amazon Device Messaging.
    ///
    /// - Throws: ``HubValidationError`` if the body is not a JSON object or is too large.
    public static func adm(_ payload: Payload) throws(HubValidationError) -> PushNotification {
        try json(.adm, payload)
    }

    /// Returns a notification for browsers. The page's service worker defines the members.
    ///
    /// - Throws: ``HubValidationError`` if the body is not a JSON object or is too large.
    public static func browser(_ payload: Payload) throws(HubValidationError) -> PushNotification {
        try json(.browser, payload)
    }

    /// Returns a notification for Xiaomi devices.
    ///
    /// - Throws: ``HubValidationError`` if the body is not a JSON object or is too large.
    public static func xiaomi(_ payload: Payload) throws(HubValidationError) -> PushNotification {
        try json(.xiaomi, payload)
    }

    /// Returns a notification for Baidu devices.
    ///
    /// - Parameters:
    ///   - payload: A JSON object.
    ///   - messageType: Baidu's number for the type of message (`X-Baidu-Message-Type`); `nil` leaves it to the service.
    /// - Throws: ``HubValidationError`` if the body is not a JSON object or is too large.
    public static func baidu(_ payload: Payload, messageType: Int? = nil) throws(HubValidationError) -> PushNotification
    {
        _ = try payload.object()
        var headers: [Header] = []
        if let messageType { headers.append(try Header("X-Baidu-Message-Type", String(messageType))) }
        return PushNotification(
            .baidu, body: payload.bytes, contentType: "application/json", headers: headers)
    }

    /// Returns a notification for a platform that requires no headers and no wrapper.
    package static func json(_ platform: PushPlatform, _ payload: Payload) throws(HubValidationError)
        -> PushNotification
    {
        _ = try payload.object()
        return PushNotification(platform, body: payload.bytes, contentType: jsonContentType)
    }
}

extension PushNotification {
    /// A JSON body: JSON text or bytes, or an encoded value.
    ///
    /// ```swift
    /// try .apple(#"{"aps":{"alert":"Hello"}}"#)  // a literal
    /// try .apple(.json(text))                    // JSON text
    /// try .apple(.json(encoding: payload))       // an Encodable value
    /// ```
    ///
    /// The functions that create a notification validate the payload: it must be a JSON object without duplicate names.
    public struct Payload: Hashable, Sendable, ExpressibleByStringLiteral {
        let bytes: [UInt8]

        /// Returns a payload of JSON text. Do not interpolate values: use ``json(encoding:)``.
        public static func json(_ text: some StringProtocol) -> Payload {
            Payload(bytes: Array(text.utf8))
        }

        /// Returns a payload of JSON bytes in UTF-8.
        public static func json(_ bytes: some Sequence<UInt8>) -> Payload {
            Payload(bytes: Array(bytes))
        }

        /// Returns a payload of the JSON of a value, with sorted member names.
        ///
        /// - Throws: An error from the value's encoding.
        public static func json(encoding value: some Encodable) throws -> Payload {
            Payload(bytes: try JSON.encode(value))
        }

        /// Creates a payload from a JSON literal in source code.
        public init(stringLiteral text: StaticString) {
            bytes = Array(text.description.utf8)
        }

        private init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        /// Parses the payload.
        ///
        /// - Throws: ``HubValidationError`` if it is too large or not a JSON object.
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

extension PushNotification.Payload: CustomStringConvertible {
    /// The body.
    public var description: String { bytes.lossyText }
}
