import HubText

/// The rule for what stands between two slashes of the service's paths.
package enum NameSegment {
    /// The text, if it keeps to the rule.
    ///
    /// - Parameters:
    ///   - text: a hub's name or an installation's id.
    ///   - what: what it is, for the error's text.
    package static func checked(
        _ text: some StringProtocol, _ what: String, maximumLength: Int
    ) throws(NotificationHub.InvalidName) -> String {
        let text = String(text)
        if let problem = problem(text, what, maximumLength: maximumLength) {
            throw NotificationHub.InvalidName(description: problem)
        }
        return text
    }

    /// - Returns: what is wrong with it, or `nil`.
    private static func problem(_ text: String, _ what: String, maximumLength: Int) -> String? {
        if text.isEmpty { return "\(what) has one character at least" }
        if text.utf8.count > maximumLength { return "\(what) has \(maximumLength) characters at most" }
        if text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") }) { return "\(what) is more than full stops" }
        guard let offset = offsetOfStranger(in: text, marks: ".-_") else { return nil }
        return "\(what) has letters, digits and . - _ only; something else is at byte \(offset)"
    }

    /// Where the first byte is that is no letter and no digit of ASCII, and none of some marks.
    static func offsetOfStranger(in text: String, marks: String) -> Int? {
        text.utf8.enumerated().first { !$1.isASCIILetterOrDigit && !marks.utf8.contains($1) }?.offset
    }
}
