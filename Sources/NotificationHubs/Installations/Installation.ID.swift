#if canImport(FoundationEssentials)
public import struct FoundationEssentials.UUID
#else
public import struct Foundation.UUID
#endif

extension Installation {
    /// An installation's ID, chosen by the app: at most 256 ASCII letters, digits and `. - _`.
    public struct ID: HubCheckedText, ExpressibleByStringLiteral {
        /// The ID.
        public let rawValue: String

        /// Returns a new ID from a random UUID. Store it on the device, so that the device remains one installation.
        public static func random() -> ID { ID(UUID()) }

        /// Creates an ID from a UUID, in lower case.
        public init(_ uuid: UUID) {
            rawValue = uuid.uuidString.lowercased()
        }

        /// Validates an ID.
        ///
        /// The service rejects other characters, and cannot look up an ID that was percent-encoded.
        ///
        /// - Throws: ``HubValidationError`` if it is empty, too long, or contains another character.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try TextRule.id("an installation's id").check(rawValue)
        }
    }

    /// A user's ID, chosen by the app: ASCII letters, digits and `- _ @ # . : =`.
    ///
    /// A send to this ID reaches all devices of the user. The service documents no maximum length.
    public struct UserID: HubCheckedText, ExpressibleByStringLiteral {
        /// The ID.
        public let rawValue: String

        package static let rule = TextRule("a user's id", .invalidID, marks: "-_@#.:=")

        /// Validates an ID.
        ///
        /// - Throws: ``HubValidationError`` if it is empty or contains another character.
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
