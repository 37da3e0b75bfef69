import HubText

extension Registration {
    /// A registration's id, given by the hub, such as `3280667865762611323-1797531224048185179-3`: letters, digits and `. - _`
    /// in ASCII.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The id's text.
        public let text: String

        /// Checks a text that is to be an id.
        ///
        /// - Throws: ``NotificationHub/InvalidName`` if it is empty, longer than 256 characters, or has another character.
        public init(validating text: some StringProtocol) throws(NotificationHub.InvalidName) {
            self.text = try NameSegment.checked(text, "a registration's id", maximumLength: 256)
        }

        /// Takes an id that the caller has made by the rules.
        package init(unchecked text: String) {
            self.text = text
        }

        /// The id behind `registrationids` in a `Location`, whatever stands before that.
        init?(location: String) {
            let path = location.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            let segments = path.split(separator: UInt8(ascii: "/")).suffix(2)
            guard let name = segments.first, let text = segments.last, segments.count == 2,
                name.isEqual(ignoringCase: "registrationids"),
                let id = try? Self(validating: String(decoding: text, as: UTF8.self))
            else { return nil }
            self = id
        }

        /// The id's text.
        public var description: String { text }
    }
}
