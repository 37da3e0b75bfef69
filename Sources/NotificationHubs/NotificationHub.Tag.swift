extension NotificationHub {
    /// A tag: what messages are addressed to.
    ///
    /// ```swift
    /// let news: NotificationHub.Tag = "news"                           // checked when the program runs
    /// let chosen = try NotificationHub.Tag(validating: userInput)      // for text that the program did not choose
    /// ```
    ///
    /// Letters, digits and `_ @ # . : -` in ASCII, 120 at most. No text that passes can change an expression that it is put
    /// into.
    public struct Tag: Sendable {
        /// The tag's text.
        public let text: String

        /// The longest tag that the service takes, in characters.
        public static let maximumLength = 120

        /// Checks a text that is to be a tag.
        ///
        /// - Throws: ``NotificationHub/InvalidName`` if it is empty, too long, or has a character that is not allowed.
        public init(validating text: some StringProtocol) throws(InvalidName) {
            self.text = String(text)
            try check()
        }

        /// Takes a tag that the service sent: it stores some that it would not take, such as template names with spaces.
        package init(unchecked text: String) {
            self.text = text
        }

        /// Makes sure that the tag may be sent.
        func check() throws(InvalidName) {
            guard !text.isEmpty else { throw InvalidName(description: "a tag has one character at least") }
            guard text.utf8.count <= Self.maximumLength else {
                throw InvalidName(
                    description: "a tag has \(Self.maximumLength) characters at most, this one has \(text.utf8.count)")
            }
            guard let offset = NameSegment.offsetOfStranger(in: text, marks: "_@#.:-") else { return }
            throw InvalidName(
                description: "a tag has letters, digits and _ @ # . : - only; something else is at byte \(offset)")
        }
    }
}

extension NotificationHub.Tag: Hashable {
    /// Compares bytes.
    public static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension NotificationHub.Tag: ExpressibleByStringLiteral {
    /// A tag written in the program's source. One that is not valid is a programmer's error, and stops the program.
    public init(stringLiteral text: StaticString) {
        do {
            try self.init(validating: text.description)
        } catch {
            preconditionFailure("\"\(text)\" is no tag: \(error)")
        }
    }
}

extension NotificationHub.Tag: CustomStringConvertible {
    /// The tag's text.
    public var description: String { text }
}

extension NotificationHub.Tag: Codable {
    /// Takes the service's word for what a tag is.
    public init(from decoder: any Decoder) throws {
        self.init(unchecked: try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
