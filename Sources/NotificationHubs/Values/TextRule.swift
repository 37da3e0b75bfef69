import HubText

/// A rule for strings: the allowed ASCII characters and the maximum length.
package struct TextRule: Sendable {
    private let subject: String
    private let code: HubValidationError.Code
    private let maximumLength: Int
    private let marks: String
    private let isPathSegment: Bool

    /// Creates a rule that allows letters, digits and the given punctuation marks.
    ///
    /// - Parameters:
    ///   - subject: The name of the value in error messages, such as "a tag".
    ///   - isPathSegment: Whether strings that consist only of periods, such as `.` and `..`, are invalid.
    package init(
        _ subject: String, _ code: HubValidationError.Code, marks: String, maximumLength: Int = .max,
        isPathSegment: Bool = false
    ) {
        (self.subject, self.code, self.marks) = (subject, code, marks)
        (self.maximumLength, self.isPathSegment) = (maximumLength, isPathSegment)
    }

    /// Returns the rule for an ID that is a segment of a path.
    package static func id(_ subject: String) -> TextRule {
        TextRule(subject, .invalidID, marks: ".-_", maximumLength: 256, isPathSegment: true)
    }

    /// Throws if a string violates the rule.
    package func check(_ text: String) throws(HubValidationError) {
        if text.isEmpty { throw HubValidationError(code, "\(subject) must not be empty") }
        let length = text.utf8.count
        if length > maximumLength {
            throw HubValidationError(code, "\(subject) must have at most \(maximumLength) characters; got \(length)")
        }
        let offset = text.withBytes { bytes in bytes.indices.first { !allows(bytes[$0]) } }
        if let offset {
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

    /// Returns whether the rule allows a byte.
    package func allows(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || marks.utf8.contains(byte) }
}

extension String {
    /// Whether the string is a valid header value: not empty, printable ASCII, without leading and trailing spaces.
    var isHeaderValue: Bool {
        guard let first = utf8.first, let last = utf8.last, first != 0x20, last != 0x20 else { return false }
        return utf8.allSatisfy { $0 >= 0x20 && $0 <= 0x7e }
    }
}
