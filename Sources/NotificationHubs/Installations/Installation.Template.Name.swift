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
