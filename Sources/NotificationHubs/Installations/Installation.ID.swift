#if canImport(FoundationEssentials)
public import struct FoundationEssentials.UUID
#else
public import struct Foundation.UUID
#endif

extension Installation {
    /// An installation's id, chosen by the app: at most 256 ASCII letters, digits and `. - _`.
    public struct ID: HubCheckedText, ExpressibleByStringLiteral {
        /// The id.
        public let rawValue: String

        /// Returns a new id from a random UUID. Store it on the device, so that the device remains one installation.
        public static func random() -> ID { ID(UUID()) }

        /// Creates an id from a UUID, in lower case.
        public init(_ uuid: UUID) {
            rawValue = uuid.uuidString.lowercased()
        }

        /// Validates an id.
        ///
        /// The service rejects other characters, and cannot look up an id that was percent-encoded.
        ///
        /// - Throws: ``HubValidationError`` if it is empty, too long, or contains another character.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try TextRule.id("an installation's id").check(rawValue)
        }
    }

    /// A user's id, chosen by the app: ASCII letters, digits and `- _ @ # . : =`.
    ///
    /// A send to this id reaches all devices of the user. The service documents no maximum length.
    public struct UserID: HubCheckedText, ExpressibleByStringLiteral {
        /// The id.
        public let rawValue: String

        package static let rule = TextRule("a user's id", .invalidID, marks: "-_@#.:=")

        /// Validates an id.
        ///
        /// - Throws: ``HubValidationError`` if it is empty or contains another character.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try check()
        }

        /// Creates an id from the service's response, without validation.
        package init(unchecked text: String) {
            rawValue = text
        }

        /// Throws if the service would reject the id.
        func check() throws(HubValidationError) { try Self.rule.check(rawValue) }
    }
}
