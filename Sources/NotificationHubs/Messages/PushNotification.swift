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
/// The service accepts almost any body; its platform does not. Typed payloads are checked against the platform's rules when they
/// are created, and ``problems`` checks any other body.
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
    private(set) var headers: [Header]

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

    /// Returns a notification with values for the templates of devices, and headers for the platforms that they belong to.
    ///
    /// ```swift
    /// let silent = try PushNotification.template(
    ///     ["feed": "7"], headers: ["apns-push-type": "background", "apns-priority": "5"])
    /// ```
    ///
    /// The service forwards headers that begin with `apns-` to Apple, `X-WNS-` to Windows, `X-Baidu-` to Baidu, and other headers
    /// that begin with `X-` to Windows Phone (Microsoft, "Azure Notification Hubs updates for iOS 13"). It is an assumption
    /// that a header of a device's template replaces the one of the notification.
    ///
    /// - Throws: ``HubValidationError`` if a header is invalid or belongs to no platform.
    public static func template(
        _ values: [String: String], headers: [String: String]
    ) throws(HubValidationError) -> PushNotification {
        try template(values, apple: AppleOptions(), headers: headers)
    }

    /// Returns a notification with values for the templates of devices, and headers for Apple and for other platforms.
    ///
    /// - Throws: ``HubValidationError`` if a header is invalid or belongs to no platform.
    package static func template(
        _ values: [String: String], apple options: AppleOptions, headers: [String: String]
    ) throws(HubValidationError) -> PushNotification {
        var notification = template(values)
        notification.headers = try options.headers(for: nil)
        notification.headers += try headers.sorted { $0.key < $1.key }.map { name, value throws(HubValidationError) in
            guard PlatformTable.all.contains(where: { $0.forwards(header: name) }) else {
                throw HubValidationError(
                    .invalidHeader, "must begin with apns-, X-WNS-, X-Baidu- or X-, and not with X-MS-",
                    path: name.escapedForDisplay)
            }
            return try Header(name, value)
        }
        return notification
    }

    /// The parts that the platform will refuse or ignore, although the service accepts the notification.
    ///
    /// Check a notification that your code does not create with a typed payload, for example in tests and before a large send.
    /// For template values, only the headers are checked: ``Installation/Template/problems(on:message:pushVariables:)`` checks
    /// a template with them.
    public var problems: [PlatformProblem] {
        if let platform { return platform.problems(body: body, headers: headers(for: platform)) }
        return AppleRules.problems(in: nil, headers: headers(for: .apple).byLowercaseName)
    }

    /// Returns the headers for a platform, by name.
    package func headers(for platform: PushPlatform) -> [String: String] {
        var texts: [String: String] = [:]
        for header in headers where self.platform != nil || platform.row?.forwards(header: header.name) == true {
            texts[header.name] = header.value
        }
        return texts
    }

    /// The values for templates; empty for a platform's notification.
    package var templateValues: [String: String] {
        guard platform == nil, case .object(let object)? = try? JSONValue(parsing: body) else { return [:] }
        return object.members.reduce(into: [:]) { values, member in
            // Templates only use ASCII names. A String comparison could match another name that is canonically equivalent.
            guard member.name.utf8.allSatisfy({ $0 < 0x80 }) else { return }
            values[member.name] = member.value.string
        }
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

extension PushNotification.Receipt: CustomStringConvertible, CustomDebugStringConvertible {
    /// The notification's ID and the tracking ID.
    public var description: String {
        (notificationID?.rawValue ?? "no notification ID") + (trackingID.map { " (tracking ID \($0))" } ?? "")
    }

    /// The type and all properties.
    public var debugDescription: String { Mirror.debugText(of: self) }
}
