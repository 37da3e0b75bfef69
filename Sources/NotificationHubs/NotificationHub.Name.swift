import HubText
import SharedAccessSignature

extension NotificationHub {
    /// A hub's name: letters, digits and `. - _` in ASCII, at most 260.
    public struct Name: HubCheckedText, ExpressibleByStringLiteral {
        /// The name.
        public let rawValue: String

        /// Checks a name.
        ///
        /// - Throws: ``HubValidationError`` if it is empty, too long, or contains another character.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            if let problem = HubName.problem(in: rawValue) {
                throw HubValidationError(.invalidHubName, problem.reason, offset: problem.offset)
            }
        }

        /// Whether a text is the hub's name; the service ignores case.
        package func isSame(as other: some StringProtocol) -> Bool {
            rawValue.utf8.isEqual(ignoringCase: other)
        }
    }
}
