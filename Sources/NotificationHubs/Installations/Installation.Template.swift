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
        var reader = try JSONMemberReader(json, at: path)
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

extension Installation.Template {
    /// A template's name: at most 200 characters, without a colon.
    ///
    /// ```swift
    /// phone.templates["alert"] = template
    /// let name = try Installation.Template.Name(validating: input)
    /// ```
    ///
    /// The service makes the name the template's tag if the template has no other tag, and separates tags by commas: avoid
    /// commas in names.
    public struct Name: HubCheckedText, ExpressibleByStringLiteral {
        /// The name.
        public let rawValue: String

        /// The longest name that the service accepts, in UTF-16 code units.
        public static let maximumLength = 200

        /// Checks a name.
        ///
        /// - Throws: ``HubValidationError`` if it is empty, too long, or contains a colon.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try check()
        }

        /// Creates a name from the service's response.
        package init(unchecked text: String) {
            rawValue = text
        }

        /// Throws if the service would reject the name.
        func check() throws(HubValidationError) {
            let problem: String
            if rawValue.isEmpty {
                problem = "not be empty"
            } else if rawValue.utf16.count > Self.maximumLength {
                problem = "have at most \(Self.maximumLength) characters; got \(rawValue.utf16.count)"
            } else if rawValue.utf8.contains(UInt8(ascii: ":")) {
                problem = "not contain a colon"
            } else {
                return
            }
            throw HubValidationError(.invalidTemplate, "a template's name must \(problem)")
        }
    }
}

extension Installation.Template {
    /// A change to a part of an existing template, for ``Installation/Patch/changeTemplate(_:_:)``.
    ///
    /// The service documents these changes; no recorded traffic contains one.
    public struct Change: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case setBody(String)
            case setHeaders([String: String])
            case setHeader(String, to: String)
            case removeHeader(String)
            case setExpiry(Expiry)
            case removeExpiry
            case tags(Installation.TagChange)
        }

        let kind: Kind

        /// Replaces the body.
        public static func setBody(_ body: String) -> Change { Change(kind: .setBody(body)) }

        /// Replaces all headers; an empty dictionary removes them.
        public static func setHeaders(_ headers: [String: String]) -> Change { Change(kind: .setHeaders(headers)) }

        /// Adds a header, or replaces the one of the same name.
        public static func setHeader(_ name: String, to value: String) -> Change {
            Change(kind: .setHeader(name, to: value))
        }

        /// Removes a header.
        public static func removeHeader(_ name: String) -> Change { Change(kind: .removeHeader(name)) }

        /// Sets when the platform stops trying.
        public static func setExpiry(_ expiry: Expiry) -> Change { Change(kind: .setExpiry(expiry)) }

        /// Lets the platform decide when to stop trying.
        public static var removeExpiry: Change { Change(kind: .removeExpiry) }

        /// Changes the template's tags.
        public static func tags(_ change: Installation.TagChange) -> Change { Change(kind: .tags(change)) }
    }
}
