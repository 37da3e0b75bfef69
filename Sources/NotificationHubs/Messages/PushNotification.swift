/// What is sent to devices: a body in the words of one push platform, with its headers, or values for the devices' own
/// templates.
///
/// ```swift
/// let greeting = PushNotification.template(["message": "Hello"])
/// let alert = try PushNotification.apple(#"{"aps":{"alert":"Hello"}}"#)
/// let silent = try PushNotification.apple(.json(encoding: payload), options: .init(pushType: .background))
/// let toast = try PushNotification.windows(xml: xml)
/// ```
///
/// A platform's own limit for a payload, often 4 KB, is the platform's to enforce, and shows in the outcome alone.
public struct PushNotification: Hashable, Sendable {
    /// The largest body that the service takes, in bytes: 64 KB.
    public static let maximumByteCount = 64 * 1024

    /// The platform of the body; `nil` for values that fill the devices' templates.
    public let platform: PushPlatform?
    /// The body as it is sent.
    let body: [UInt8]
    /// The body's media type.
    let contentType: String
    /// The platform's own headers, names and values checked.
    let headers: [Header]

    init(_ platform: PushPlatform?, body: [UInt8], contentType: String, headers: [Header] = []) {
        self.platform = platform
        self.body = body
        self.contentType = contentType
        self.headers = headers
    }

    /// Makes sure that the service takes a body of this size.
    func checkSize() throws(HubValidationError) {
        try Self.checkSize(body.count, limit: Self.maximumByteCount)
    }

    static func checkSize(_ byteCount: Int, limit: Int) throws(HubValidationError) {
        guard byteCount > limit else { return }
        throw HubValidationError(.payloadTooLarge, "the body has \(byteCount) bytes (at most \(limit))")
    }
}

extension PushNotification {
    /// Values that every device's own templates are filled with, by the names that stand in them as `$(name)`.
    ///
    /// A device without a template gets nothing. Values are texts; the service takes no other. The size is checked when
    /// it is sent.
    public static func template(_ values: [String: String]) -> PushNotification {
        PushNotification(
            nil, body: JSONValue.object(JSONObject(values)).bytes,
            contentType: "application/json")
    }

    /// The value of `ServiceBusNotification-Format`.
    package var format: MessageFormat { platform.map { .platform($0) } ?? .template }

    /// A header, checked.
    struct Header: Hashable, Sendable {
        let name: String
        let value: String

        /// Takes printable ASCII alone: nothing that could end the header, or be read in two ways.
        init(_ name: String, _ value: String) throws(HubValidationError) {
            guard HubHeaders.isName(name) else {
                throw HubValidationError(.invalidHeader, "invalid character in a header's name")
            }
            guard value.isHeaderValue else {
                throw HubValidationError(
                    .invalidHeader, "must be printable ASCII without outer spaces, and not empty", path: name)
            }
            self.name = name
            self.value = value
        }
    }
}

extension PushNotification: CustomStringConvertible, CustomReflectable {
    /// The format and the body's size; not the body.
    public var description: String { "\(format) (\(body.count) bytes)" }

    /// The format, the body's size and type, and the platform's headers; not the body.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["format": format.name, "byteCount": body.count, "contentType": contentType, "headers": headers])
    }
}

extension PushNotification {
    /// The service's id of a notification that it accepted. It can be stored.
    public struct ID: HubCheckedText {
        /// The id.
        public let rawValue: String

        /// The longest id that this package accepts, in characters.
        public static let maximumLength = 512

        /// The characters of a URL's path segment except the dollar sign, with which the service's own names begin.
        private static let rule = TextRule(
            "a notification's id", .invalidID, marks: "-._~!&'()*+,;=:@", maximumLength: maximumLength,
            isPathSegment: true)

        /// Checks an id.
        ///
        /// - Throws: ``HubValidationError`` if it is empty, too long, or cannot be a segment of a URL's path.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try Self.rule.check(rawValue)
        }

        /// The id at the end of a `Location`, whatever stands before it: the path of a batch has one segment more.
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
    /// What the service says of a notification that it has taken.
    public struct Receipt: Hashable, Sendable {
        /// The notification's id, by which its outcome is asked for; the Standard tier alone gives one.
        public let notificationID: ID?
        /// The service's id for the request.
        public let trackingID: String?
        /// The service's id for what belongs to the request.
        public let correlationID: String?

        init(_ response: HubResponse) {
            notificationID = response.headers["Location"].flatMap(ID.init(location:))
            trackingID = response.trackingID
            correlationID = response.correlationID
        }
    }
}
