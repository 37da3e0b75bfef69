import HubText

/// A rule for a text: which ASCII characters it can contain, and how many.
package struct TextRule: Sendable {
    private let subject: String
    private let code: HubValidationError.Code
    private let maximumLength: Int
    private let marks: String
    private let isPathSegment: Bool

    /// Creates a rule for letters, digits and some marks.
    ///
    /// - Parameters:
    ///   - subject: What follows the rule, for the error's text.
    ///   - isPathSegment: Whether `.` and `..`, which lead to other paths, are invalid.
    package init(
        _ subject: String, _ code: HubValidationError.Code, marks: String, maximumLength: Int = .max,
        isPathSegment: Bool = false
    ) {
        (self.subject, self.code, self.marks) = (subject, code, marks)
        (self.maximumLength, self.isPathSegment) = (maximumLength, isPathSegment)
    }

    /// The rule for an id between two slashes of a path.
    package static func id(_ subject: String) -> TextRule {
        TextRule(subject, .invalidID, marks: ".-_", maximumLength: 256, isPathSegment: true)
    }

    /// Throws if a text breaks the rule.
    package func check(_ text: String) throws(HubValidationError) {
        if text.isEmpty { throw HubValidationError(code, "\(subject) must not be empty") }
        let length = text.utf8.count
        if length > maximumLength {
            throw HubValidationError(code, "\(subject) must have at most \(maximumLength) characters; got \(length)")
        }
        if let offset = text.utf8.enumerated().first(where: { !allows($1) })?.offset {
            let allowed = marks.map(String.init).joined(separator: " ")
            throw HubValidationError(
                code,
                "\(subject) contains an invalid character at byte \(offset) (allowed: letters, digits and \(allowed))",
                offset: offset)
        }
        if isPathSegment, text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") }) {
            throw HubValidationError(code, "\(subject) must not consist only of '.'")
        }
    }

    /// Whether a text can contain a byte.
    package func allows(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || marks.utf8.contains(byte) }
}

extension String {
    /// Whether the text can be a header's value: printable ASCII, not empty, without outer spaces.
    var isHeaderValue: Bool {
        guard let first = utf8.first, let last = utf8.last, first != 0x20, last != 0x20 else { return false }
        return utf8.allSatisfy { $0 >= 0x20 && $0 <= 0x7e }
    }
}
