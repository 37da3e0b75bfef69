extension Installation {
    /// Whose device it is, by a name that the app has for the user: letters, digits and `- _ @ # . : =` in ASCII.
    public struct UserID: Hashable, Sendable, CustomStringConvertible {
        /// The id's text.
        public let text: String

        /// Checks a text that is to be a user's id.
        ///
        /// - Throws: ``NotificationHub/InvalidName`` if it is empty or has another character.
        public init(validating text: some StringProtocol) throws(NotificationHub.InvalidName) {
            self.text = String(text)
            guard !self.text.isEmpty else {
                throw NotificationHub.InvalidName(description: "a user's id has one character at least")
            }
            guard let offset = self.text.utf8.enumerated().first(where: { !$1.isIDByte })?.offset else { return }
            throw NotificationHub.InvalidName(
                description:
                    "a user's id has letters, digits and - _ @ # . : = only; something else is at byte \(offset)")
        }

        /// The id's text.
        public var description: String { text }
    }
}
