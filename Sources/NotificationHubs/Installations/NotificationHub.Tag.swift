import HubText

extension NotificationHub {
    /// A tag, which addresses a group of devices.
    ///
    /// ```swift
    /// let news: NotificationHub.Tag = "news"
    /// let chosen = try NotificationHub.Tag(validating: userInput)
    /// ```
    ///
    /// A tag has at most 120 ASCII letters, digits and `_ @ # . : -`. A valid tag cannot change the meaning of a tag
    /// expression.
    public struct Tag: _HubCheckedText, ExpressibleByStringLiteral {
        /// The tag.
        public let rawValue: String

        /// The longest tag that the service accepts, in characters.
        package static let maximumLength = 120

        package static let rule = TextRule("a tag", .invalidTag, marks: "_@#.:-", maximumLength: maximumLength)

        /// Creates a tag from a string.
        ///
        /// - Throws: ``HubValidationError`` if the string is empty, too long, or contains an invalid character.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try check()
        }

        /// Creates a tag from the service's response, without validation: the service returns invalid tags, such as template
        /// names with spaces.
        package init(unchecked text: String) {
            rawValue = text
        }

        /// Whether the tag is of the kind that only the service adds.
        package var isGenerated: Bool { rawValue.utf8.first == UInt8(ascii: "$") }

        /// The prefixes of the tags that the service adds to the registrations of installations, such as `$UserId:{bob}`.
        static let serviceNames = ["$InstallationId:", "$UserId:"]

        /// The prefix of the tag if it has the form of one that the service adds; otherwise `nil`.
        var serviceName: String? {
            let text = rawValue.utf8
            return Self.serviceNames.first { name in
                let id = text.dropFirst(name.utf8.count + 1).dropLast()
                return text.starts(with: "\(name){".utf8) && text.last == UInt8(ascii: "}") && !id.isEmpty
                    && id.allSatisfy { $0.isASCIILetterOrDigit || "-_@#.:=".utf8.contains($0) }
            }
        }

        /// Throws if the service would reject the tag.
        func check() throws(HubValidationError) { try Self.rule.check(rawValue) }
    }
}
