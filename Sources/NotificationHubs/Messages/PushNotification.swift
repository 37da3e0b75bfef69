import HubText

/// A notification: a body with headers for one push platform, or values for the templates of devices.
///
/// ```swift
/// let greeting = PushNotification.template(["message": "Hello"])
/// let alert = try PushNotification.apple(alert: .init(title: "Hello"))
/// let silent = try PushNotification.apple(backgroundData: ["feed": 7])
/// let native = try PushNotification.apple(#"{"aps":{"alert":"Hello"}}"#)
/// let toast = try PushNotification.windows(xml: xml)
/// ```
///
/// Platforms have lower size limits than the service, often 4 KB. Typed payloads are checked against them; for other bodies,
/// only the notification's outcome reports that one was exceeded.
public struct PushNotification: Hashable, Sendable {
    /// The largest body that the service accepts, in bytes: 64 KB.
    public static let maximumByteCount = 64 * 1024

    /// The platform of the body; `nil` for template values.
    public let platform: PushPlatform?
    /// The body to send.
    let body: [UInt8]
    /// The body's media type.
    let contentType: String
    /// The validated headers for the platform.
    let headers: [Header]

    init(_ platform: PushPlatform?, body: [UInt8], contentType: String, headers: [Header] = []) {
        self.platform = platform
        self.body = body
        self.contentType = contentType
        self.headers = headers
    }

    /// Checks that the body does not exceed the service's limit.
    func checkSize() throws(HubValidationError) {
        try Self.checkSize(body.count, limit: Self.maximumByteCount)
    }

    static func checkSize(_ byteCount: Int, limit: Int) throws(HubValidationError) {
        guard byteCount > limit else { return }
        throw HubValidationError(.payloadTooLarge, "the body has \(byteCount) bytes (at most \(limit))")
    }
}

extension PushNotification {
    /// Returns a notification with values for the templates of devices. A template refers to a value as `$(name)`.
    ///
    /// Devices without a template do not receive it. The service accepts only strings as values. The size is checked when the
    /// notification is sent.
    public static func template(_ values: [String: String]) -> PushNotification {
        PushNotification(
            nil, body: JSONValue.object(JSONObject(values)).bytes,
            contentType: "application/json")
    }

    /// The value of `ServiceBusNotification-Format`.
    package var format: MessageFormat { platform.map { .platform($0) } ?? .template }

    /// A validated header.
    struct Header: Hashable, Sendable {
        let name: String
        let value: String

        /// Creates a header.
        ///
        /// Only printable ASCII is valid, so that a value is unambiguous and cannot end the header.
        init(_ name: String, _ value: String) throws(HubValidationError) {
            guard HTTPFields.isName(name) else {
                throw HubValidationError(.invalidHeader, "a header's name contains an invalid character")
            }
            guard value.isHeaderValue else {
                throw HubValidationError(
                    .invalidHeader, "must be printable ASCII, not empty, and without leading or trailing spaces",
                    path: name)
            }
            self.name = name
            self.value = value
        }
    }
}

extension PushNotification: CustomStringConvertible {
    /// The format and the body.
    public var description: String { "\(format): \(body.lossyText)" }
}

extension PushNotification {
    /// The service's ID for an accepted notification. It can be stored.
    public struct ID: _HubCheckedText {
        /// The ID.
        public let rawValue: String

        /// The longest ID that this package accepts, in characters.
        package static let maximumLength = 512

        /// The characters of a path segment, except the dollar sign, which starts the service's reserved names.
        private static let rule = TextRule(
            "a notification's ID", .invalidID, marks: "-._~!&'()*+,;=:@", maximumLength: maximumLength,
            isPathSegment: true)

        /// Creates an ID from a string.
        ///
        /// - Throws: ``HubValidationError`` if the string is empty, too long, or not a valid segment of a URL's path.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try Self.rule.check(rawValue)
        }

        /// Creates an ID from the last path segment of a `Location` header; `nil` if it is invalid.
        package init?(location: String) {
            let path = location.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            guard let segment = path.split(separator: UInt8(ascii: "/")).last,
                let id = try? Self(validating: String(decoding: segment, as: UTF8.self))
            else { return nil }
            self = id
        }
    }
}

extension PushNotification {
    /// The service's response to an accepted notification.
    public struct Receipt: Hashable, Sendable {
        /// The notification's ID, for ``NotificationHub/outcome(of:)``; `nil` if the service omits it, as below the Standard tier.
        public let notificationID: ID?
        /// The service's ID of the request, for Azure support.
        public let trackingID: String?
        /// The service's ID of a group of related requests, for Azure support.
        public let correlationID: String?

        init(_ response: HubResponse) {
            notificationID = response.headers["Location"].flatMap(ID.init(location:))
            trackingID = response.trackingID
            correlationID = response.correlationID
        }
    }
}
