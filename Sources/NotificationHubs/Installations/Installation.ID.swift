#if canImport(FoundationEssentials)
public import struct FoundationEssentials.UUID
#else
public import struct Foundation.UUID
#endif

extension Installation {
    /// An installation's id: letters, digits and `. - _` in ASCII.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The id's text.
        public let text: String

        /// Returns a new id from a random UUID. Keep it on the device, so that the device stays one installation.
        public static func random() -> ID { ID(UUID()) }

        /// Creates an id from a UUID, in lower case.
        public init(_ uuid: UUID) {
            text = uuid.uuidString.lowercased()
        }

        /// Checks a text that is to be an id.
        ///
        /// The service refuses any other character, and does not find the id again if it is percent-encoded.
        ///
        /// - Throws: ``NotificationHub/InvalidName`` if it is empty, longer than 256 characters, or has another character.
        public init(validating text: some StringProtocol) throws(NotificationHub.InvalidName) {
            self.text = try NameSegment.checked(text, "an installation's id", maximumLength: 256)
        }

        /// The id's text.
        public var description: String { text }
    }
}
