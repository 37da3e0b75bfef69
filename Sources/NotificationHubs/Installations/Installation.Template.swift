import HubText

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension Installation {
    /// How a template message is written for one device.
    public struct Template: Hashable, Sendable {
        /// The notification's body in the platform's format, with expressions such as `$(message)` where the message's
        /// values go.
        public var body: String
        /// Headers for the platform, such as `X-WNS-Type`, by their names.
        ///
        /// The service needs them for Windows, and has refused them for other platforms.
        public var headers: [String: String]
        /// When the platform is to stop trying.
        public var expiry: Expiry?
        /// What the template is addressed by, besides the installation's tags: 60 at most.
        ///
        /// The service puts the template's name here if there are none. The registration that it makes of a template has
        /// the installation's tags and these, and a registration, too, has 60 at most.
        public var tags: [NotificationHub.Tag]
        /// What else the service has said of the template; written back as it was read.
        public var additionalProperties: AdditionalProperties

        /// A template with a given body.
        public init(
            body: String, headers: [String: String] = [:], expiry: Expiry? = nil, tags: [NotificationHub.Tag] = []
        ) {
            self.body = body
            self.headers = headers
            self.expiry = expiry
            self.tags = tags
            additionalProperties = AdditionalProperties()
        }
    }
}

extension Installation.Template {
    /// When a platform is to stop trying: a date, or an expression that a message's values fill.
    public struct Expiry: Hashable, Sendable, CustomStringConvertible {
        /// The date or expression, as the service stores it.
        public let rawValue: String

        /// An expression that a message's values fill, such as `$(expiry)`, or a date as text (W3C DTF).
        public static func expression(_ text: String) -> Expiry { Expiry(rawValue: text) }

        /// A date.
        ///
        /// - Throws: ``HubValidationError`` for a date outside the years 1 to 9999.
        public static func date(_ date: Date) throws(HubValidationError) -> Expiry {
            guard let time = Timestamp(date) else {
                throw HubValidationError(.invalidDate, "an expiry must be in the years 1 to 9999")
            }
            return Expiry(rawValue: time.text)
        }

        /// The date or expression.
        public var description: String { rawValue }
    }

    init(_ json: JSONValue, at path: String) throws(HubValidationError) {
        var reader = try MemberReader(json, at: path)
        body = try reader.required("body").text()
        headers = try reader.optional("headers")?.texts() ?? [:]
        expiry = try reader.optional("expiry").map { member throws(HubValidationError) in
            Expiry.expression(try member.text())
        }
        tags = try reader.optional("tags")?.tags() ?? []
        additionalProperties = AdditionalProperties(reader.rest)
    }

    var json: JSONValue {
        var members = additionalProperties.members
        members["body"] = .string(body)
        members["headers"] = .texts(headers)
        members["expiry"] = expiry.map { .string($0.rawValue) }
        members["tags"] = .tags(tags)
        return .object(members)
    }

    /// The template as it is sent, checked.
    ///
    /// The service gives a template without tags its name as one, which need not be a tag that it would take: where that
    /// is the only one, it is left to the service again.
    func checked(_ name: Name) throws(HubValidationError) -> Self {
        try name.check()
        var template = self
        if tags.count == 1, tags[0].rawValue.hasSameBytes(as: name.rawValue) { template.tags = [] }
        do {
            try Installation.checkTags(template.tags)
            try Self.checkHeaders(headers)
        } catch {
            throw error.at("templates/\(name.rawValue.shownInside)")
        }
        return template
    }

    static func checkHeaders(_ headers: [String: String]) throws(HubValidationError) {
        for (header, value) in headers {
            guard HubHeaders.isName(header), HubHeaders.isValue(value) else {
                throw HubValidationError(
                    .invalidHeader, "invalid name, or a control character in the value",
                    path: "headers/\(header.shownInside)")
            }
        }
    }
}
