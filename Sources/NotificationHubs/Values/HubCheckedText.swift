/// A text that follows a rule of the service, such as a tag or an installation's id.
///
/// Texts are equal if their bytes are equal. Decoding checks the rule.
public protocol HubCheckedText: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// The text.
    var rawValue: String { get }

    /// Checks a text.
    ///
    /// - Throws: ``HubValidationError``, with the first invalid byte's offset if there is one.
    init(validating text: some StringProtocol) throws(HubValidationError)
}

extension HubCheckedText {
    /// The text.
    public var description: String { rawValue }

    /// Compares bytes.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.utf8.elementsEqual(right.rawValue.utf8) }

    /// Compares bytes.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(rawValue.utf8.count)
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }

    /// Decodes a string and checks it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(validating: try container.decode(String.self))
        } catch let error as HubValidationError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Encodes the text as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension HubCheckedText where Self: ExpressibleByStringLiteral, StringLiteralType == StaticString {
    /// Creates a value from a literal of the source code. An invalid literal is a programmer error.
    public init(stringLiteral text: StaticString) {
        do {
            try self.init(validating: text.description)
        } catch {
            preconditionFailure("\"\(text)\": \(error)")
        }
    }
}
