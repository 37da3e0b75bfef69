import HubText

extension Registration {
    /// A registration's ID, assigned by the hub, such as `3280667865762611323-1797531224048185179-3`.
    ///
    /// It has 1 to 256 ASCII letters, digits and `. - _`.
    public struct ID: _HubCheckedText {
        /// The ID.
        public let rawValue: String

        /// Creates an ID from a string.
        ///
        /// - Throws: ``HubValidationError`` if the string is empty or too long, contains an invalid character, or consists only
        ///   of periods.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try TextRule.id("a registration's ID").check(rawValue)
        }

        /// Creates an ID from a string that is known to be valid.
        package init(unchecked text: String) {
            rawValue = text
        }

        /// Creates an ID from the segment after `registrationids` in a `Location` header; `nil` if there is none.
        init?(location: String) {
            let path = location.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
            let segments = path.split(separator: UInt8(ascii: "/")).suffix(2)
            guard let name = segments.first, let text = segments.last, segments.count == 2,
                name.isEqual(ignoringCase: "registrationids"),
                let id = try? Self(validating: String(decoding: text, as: UTF8.self))
            else { return nil }
            self = id
        }
    }

    /// A version of a registration (RFC 9110 §8.8.3). The hub changes it with each update.
    public struct EntityTag: _HubCheckedText {
        /// The tag without quotes, such as `1`.
        public let rawValue: String

        /// Creates a tag from one of the forms `W/"1"`, `"1"` and `1`.
        ///
        /// - Throws: ``HubValidationError`` for any other text, including `*`.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            var bytes = Array(text.utf8)[...]
            if bytes.starts(with: "W/\"".utf8) { bytes.removeFirst(2) }
            if bytes.count > 1, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") {
                bytes = bytes.dropFirst().dropLast()
            }
            guard !bytes.isEmpty, bytes != [UInt8(ascii: "*")],
                bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") })
            else {
                throw HubValidationError(
                    .invalidEntityTag, "an entity tag must be printable ASCII without quotes or spaces, and not *")
            }
            rawValue = String(decoding: bytes, as: UTF8.self)
        }

        /// The value of an `If-Match` header, such as `"1"`.
        package var headerValue: String { "\"\(rawValue)\"" }
    }

    /// The position of the next page of a listing, from ``Page/continuationToken``. It can be stored.
    public struct ContinuationToken: _HubCheckedText {
        /// The token, percent-encoded by the service.
        public let rawValue: String

        private static let rule = TextRule(
            "a continuation token", .invalidContinuationToken, marks: "%-._~!$'()*+,;=:@/?", maximumLength: 4096)

        /// Creates a token from a string.
        ///
        /// - Throws: ``HubValidationError`` if the string is empty, longer than 4,096 characters, or not valid in a URL's query
        ///   (RFC 3986 §3.4).
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try Self.rule.check(rawValue)
        }
    }
}
