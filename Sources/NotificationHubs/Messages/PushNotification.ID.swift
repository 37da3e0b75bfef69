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
