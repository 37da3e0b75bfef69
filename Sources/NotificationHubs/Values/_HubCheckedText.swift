import HubText

/// A string that satisfies the service's rules, such as a tag or an installation's ID.
///
/// Values are equal if their UTF-8 bytes are equal. Decoding validates the string.
///
/// It is public, because public members of the types that conform are declared in its extensions. It is not part of the API.
public protocol _HubCheckedText: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// The string.
    var rawValue: String { get }

    /// Creates a value from a string.
    ///
    /// - Throws: ``HubValidationError`` if the string is invalid. Its offset is that of the first invalid byte, if any.
    init(validating text: some StringProtocol) throws(HubValidationError)
}

extension _HubCheckedText {
    /// The string.
    public var description: String { rawValue }

    /// Returns whether two values have the same UTF-8 bytes.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }

    /// Returns whether a value precedes another one in the order of their UTF-8 bytes.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.precedesByBytes(right.rawValue)
    }

    /// Hashes the UTF-8 bytes.
    public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }

    /// Decodes and validates a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(validating: try container.decode(String.self))
        } catch let error as HubValidationError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Encodes the string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension _HubCheckedText where Self: ExpressibleByStringLiteral, StringLiteralType == StaticString {
    /// Creates a value from a literal in source code. An invalid literal stops the program.
    public init(stringLiteral text: StaticString) {
        do {
            try self.init(validating: text.description)
        } catch {
            preconditionFailure("\"\(text)\": \(error)")
        }
    }
}
