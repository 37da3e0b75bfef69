#if canImport(FoundationEssentials)
public import struct FoundationEssentials.UUID
#else
public import struct Foundation.UUID
#endif

extension Installation {
    /// An installation's ID, chosen by the app: at most 256 ASCII letters, digits and `. - _`.
    public struct ID: _HubCheckedText, ExpressibleByStringLiteral {
        /// The ID.
        public let rawValue: String

        /// Returns a new ID from a random UUID. Store it on the device, so that the device stays the same installation.
        public static func random() -> ID { ID(UUID()) }

        /// Creates an ID from a UUID, in lower case.
        public init(_ uuid: UUID) {
            rawValue = uuid.uuidString.lowercased()
        }

        /// Creates an ID from a string.
        ///
        /// The service rejects other characters, and does not find an ID that is percent-encoded in the path.
        ///
        /// - Throws: ``HubValidationError`` if the string is empty or too long, contains an invalid character, or consists only
        ///   of periods.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try TextRule.id("an installation's ID").check(rawValue)
        }
    }

    /// A user's ID, chosen by the app: ASCII letters, digits and `- _ @ # . : =`.
    ///
    /// A notification to this ID reaches all devices of the user. The service does not document a maximum length.
    public struct UserID: _HubCheckedText, ExpressibleByStringLiteral {
        /// The ID.
        public let rawValue: String

        package static let rule = TextRule("a user's ID", .invalidID, marks: "-_@#.:=")

        /// Creates an ID from a string.
        ///
        /// - Throws: ``HubValidationError`` if the string is empty or contains an invalid character.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try check()
        }

        /// Creates an ID from the service's response, without validation.
        package init(unchecked text: String) {
            rawValue = text
        }

        /// Throws if the service would reject the ID.
        func check() throws(HubValidationError) { try Self.rule.check(rawValue) }
    }
}
