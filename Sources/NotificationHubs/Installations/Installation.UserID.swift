extension Installation {
    /// Whose device it is, by a name that the app has for the user: letters, digits and `- _ @ # . : =` in ASCII.
    ///
    /// All of a user's devices are reached by it. The service documents no greatest length.
    public struct UserID: Sendable, CustomStringConvertible {
        /// The id's text.
        public let text: String

        /// Checks a text that is to be a user's id.
        ///
        /// - Throws: ``NotificationHub/InvalidName`` if it is empty or has another character.
        public init(validating text: some StringProtocol) throws(NotificationHub.InvalidName) {
            self.text = String(text)
            try check()
        }

        /// Takes an id that the service sent.
        package init(unchecked text: String) {
            self.text = text
        }

        /// Makes sure that the id may be sent.
        func check() throws(NotificationHub.InvalidName) {
            guard !text.isEmpty else {
                throw NotificationHub.InvalidName(description: "a user's id has one character at least")
            }
            guard let offset = NameSegment.offsetOfStranger(in: text, marks: "-_@#.:=") else { return }
            throw NotificationHub.InvalidName(
                description:
                    "a user's id has letters, digits and - _ @ # . : = only; something else is at byte \(offset)")
        }

        /// The id's text.
        public var description: String { text }
    }
}

extension Installation.UserID: Hashable {
    /// Compares bytes.
    public static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}
