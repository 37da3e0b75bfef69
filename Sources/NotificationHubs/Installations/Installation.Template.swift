import HubText

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension Installation {
    /// A device's template, which the service fills with the values of a template notification.
    public struct Template: Hashable, Sendable {
        /// The body in the platform's format, with expressions such as `$(message)` for the notification's values.
        public var body: String
        /// The headers for the platform, by name, such as `X-WNS-Type`.
        ///
        /// The service requires `X-WNS-Type` for Windows. It has rejected headers for other platforms.
        public var headers: [String: String]
        /// The time when the platform stops trying to deliver; `nil` for the platform's default.
        public var expiry: Expiry?
        /// The tags that address the template in addition to the installation's tags; at most
        /// ``Installation/maximumTagCount``.
        ///
        /// Without tags, the service adds the template's name as a tag. It creates a registration for each template, with the
        /// tags of the installation and of the template. The limit also applies to that registration.
        public var tags: [NotificationHub.Tag]
        /// The JSON members that this type does not model. They are sent back unchanged.
        public var additionalProperties: AdditionalProperties

        /// Creates a template.
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
    /// Returns whether two templates are equal. Strings are compared by their UTF-8 bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.body.hasSameBytes(as: right.body) && left.headers.hasSameBytes(as: right.headers)
            && left.expiry == right.expiry && left.tags == right.tags
            && left.additionalProperties == right.additionalProperties
    }

    /// The time when a platform stops trying to deliver: a date, or an expression that yields one.
    public struct Expiry: Hashable, Sendable, CustomStringConvertible {
        /// The date or expression, as the service stores it.
        public let rawValue: String

        /// Returns an expiry from an expression over the notification's values, such as `$(expiry)`, or from a W3C DTF date.
        public static func expression(_ text: String) -> Expiry { Expiry(rawValue: text) }

        /// Returns an expiry at a date.
        ///
        /// - Throws: ``HubValidationError`` if the date is outside the years 1 to 9999.
        public static func date(_ date: Date) throws(HubValidationError) -> Expiry {
            guard let time = Timestamp(date) else {
                throw HubValidationError(.invalidDate, "an expiry must be in the years 1 to 9999")
            }
            return Expiry(rawValue: time.text)
        }

        /// Returns whether two expiries have the same UTF-8 bytes.
        public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }

        /// The date or expression.
        public var description: String { rawValue }
    }

    init(_ json: JSONValue) throws(HubValidationError) {
        var reader = try JSONMemberReader(json)
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
        members.reserveCapacity(adding: 4)
        members["body"] = .string(body)
        members["expiry"] = expiry.map { .string($0.rawValue) }
        members["headers"] = .texts(headers)
        members["tags"] = .tags(tags)
        return .object(members)
    }

    /// Returns the template to send.
    ///
    /// The service tags an untagged template with its name, even if the name is not a valid tag. A template whose only tag is
    /// its name is therefore sent without tags.
    ///
    /// - Throws: ``HubValidationError`` if the service would reject the template.
    func checked(_ name: Name, enforcesLimits: Bool = true) throws(HubValidationError) -> Self {
        if enforcesLimits { try name.check() }
        var template = self
        if tags.count == 1, tags[0].rawValue.hasSameBytes(as: name.rawValue) { template.tags = [] }
        do {
            if enforcesLimits { try Installation.checkTags(template.tags) }
            try Self.checkHeaders(headers)
        } catch {
            throw error.at("templates/\(name.rawValue.escapedForDisplay)")
        }
        return template
    }

    static func checkHeaders(_ headers: [String: String]) throws(HubValidationError) {
        for (header, value) in headers {
            guard HTTPFields.isName(header), HTTPFields.isValue(value) else {
                throw HubValidationError(
                    .invalidHeader, "the name is invalid, or the value contains a control character",
                    path: "headers/\(header.escapedForDisplay)")
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
    /// Avoid commas: the service uses the name as the tag of an untagged template, and commas separate tags.
    public struct Name: _HubCheckedText, ExpressibleByStringLiteral {
        /// The name.
        public let rawValue: String

        /// The longest name that the service accepts, in UTF-16 code units.
        package static let maximumLength = 200

        /// Creates a name from a string.
        ///
        /// - Throws: ``HubValidationError`` if the string is empty, too long, or contains a colon.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try check()
        }

        /// Creates a name from the service's response, without validation.
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
    /// The service documents these changes. They are not verified against the service.
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

        /// Adds a header, or replaces the header with the same name.
        public static func setHeader(_ name: String, to value: String) -> Change {
            Change(kind: .setHeader(name, to: value))
        }

        /// Removes a header.
        public static func removeHeader(_ name: String) -> Change { Change(kind: .removeHeader(name)) }

        /// Sets the time when the platform stops trying to deliver.
        public static func setExpiry(_ expiry: Expiry) -> Change { Change(kind: .setExpiry(expiry)) }

        /// Removes the expiry, so that the platform's default applies.
        public static var removeExpiry: Change { Change(kind: .removeExpiry) }

        /// Changes the template's tags.
        public static func tags(_ change: Installation.TagChange) -> Change { Change(kind: .tags(change)) }
    }
}
