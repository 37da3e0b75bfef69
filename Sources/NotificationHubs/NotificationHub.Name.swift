import HubText
import SharedAccessSignature

extension NotificationHub {
    /// A hub's name: letters, digits and `. - _` in ASCII.
    public struct Name: Hashable, Sendable, CustomStringConvertible {
        /// The name's text.
        public let text: String

        /// Checks a text that is to be a hub's name.
        ///
        /// - Throws: ``NotificationHub/InvalidName`` if it is empty, longer than 260 characters, or has another character.
        public init(validating text: some StringProtocol) throws(InvalidName) {
            self.text = String(text)
            if let problem = HubName.problem(in: self.text) { throw InvalidName(description: problem.reason) }
        }

        /// Whether a text is the hub's name: the service does not tell upper from lower case.
        package func isSame(as other: some StringProtocol) -> Bool {
            text.utf8.isEqual(ignoringCase: other)
        }

        /// The name's text.
        public var description: String { text }
    }
}

extension NotificationHub.Name: ExpressibleByStringLiteral {
    /// A name written in the program's source; an invalid one stops the program.
    public init(stringLiteral text: StaticString) {
        do {
            try self.init(validating: text.description)
        } catch {
            preconditionFailure("invalid hub name \"\(text)\": \(error)")
        }
    }
}
