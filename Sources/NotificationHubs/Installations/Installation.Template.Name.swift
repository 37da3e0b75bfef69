extension Installation.Template {
    /// A template's name: 200 characters at most, none of them a colon.
    ///
    /// ```swift
    /// phone.templates["alert"] = template                              // checked when the program runs
    /// let name = try Installation.Template.Name(validating: input)     // for text that the program did not choose
    /// ```
    ///
    /// Names are compared by their bytes, so that two that look the same are two. As the service makes it the template's tag
    /// where it has no other, and writes tags with commas between them, do not let a comma into it.
    public struct Name: Sendable {
        /// The name's text.
        public let text: String

        /// The longest name that the service takes, in UTF-16 code units, which it counts.
        public static let maximumLength = 200

        /// Checks a text that is to be a template's name.
        ///
        /// - Throws: ``NotificationHub/InvalidName`` if it is empty, too long, or has a colon.
        public init(validating text: some StringProtocol) throws(NotificationHub.InvalidName) {
            self.text = String(text)
            try check()
        }

        /// Takes a name that the service sent.
        package init(unchecked text: String) {
            self.text = text
        }

        /// Makes sure that the name may be sent.
        func check() throws(NotificationHub.InvalidName) {
            let problem: String
            if text.isEmpty {
                problem = "has one character at least"
            } else if text.utf16.count > Self.maximumLength {
                problem = "has \(Self.maximumLength) characters at most, this one has \(text.utf16.count)"
            } else if text.utf8.contains(UInt8(ascii: ":")) {
                problem = "has no colon"
            } else {
                return
            }
            throw NotificationHub.InvalidName(description: "a template's name \(problem)")
        }
    }
}

extension Installation.Template.Name: Hashable, Comparable {
    /// Compares bytes.
    public static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

    /// Compares bytes.
    public static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension Installation.Template.Name: ExpressibleByStringLiteral {
    /// A name written in the program's source. One that is not valid is a programmer's error, and stops the program.
    public init(stringLiteral text: StaticString) {
        do {
            try self.init(validating: text.description)
        } catch {
            preconditionFailure("\"\(text)\" is no template's name: \(error)")
        }
    }
}

extension Installation.Template.Name: CustomStringConvertible {
    /// The name's text.
    public var description: String { text }
}
