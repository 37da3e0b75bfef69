/// An error for a token that is malformed, or that a verifier or the service rejects.
///
/// ```swift
/// do {
///     claims = try verifier.verify(authorization: request.headers["Authorization"], for: resource)
/// } catch {
///     throw Abort(.unauthorized, reason: error.code.rawValue)
/// }
/// ```
///
/// The error contains no part of the token, so you can log it.
public struct SASTokenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A failed check. New codes can be added, so every `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let rawValue: String

        /// The code's name.
        public var description: String { rawValue }

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The `Authorization` header is missing.
        public static let missing = Code("missing")
        /// The text is longer than 8192 bytes.
        public static let tooLong = Code("tooLong")
        /// The text does not start with `SharedAccessSignature` and a space.
        public static let invalidScheme = Code("invalidScheme")
        /// A field's name is not `sr`, `sig`, `se` or `skn`.
        public static let unknownField = Code("unknownField")
        /// A field appears more than once.
        public static let duplicateField = Code("duplicateField")
        /// A field is missing.
        public static let missingField = Code("missingField")
        /// A field's value is empty or invalid.
        public static let invalidField = Code("invalidField")

        /// The verifier has no key for the policy that the token names.
        public static let unknownKey = Code("unknownKey")
        /// None of the policy's keys signed the token.
        public static let invalidSignature = Code("invalidSignature")
        /// The token has expired.
        public static let expired = Code("expired")
        /// The token is valid for longer than the verifier allows.
        public static let lifetimeTooLong = Code("lifetimeTooLong")
        /// The token is for another resource.
        public static let outOfScope = Code("outOfScope")

        /// A resource's URL is invalid or ambiguous.
        public static let invalidResource = Code("invalidResource")
    }

    /// The first failed check.
    public let code: Code
    /// The failed checks, in order. A parse error has one code.
    public var codes: [Code] { [code] + otherCodes }
    /// The invalid, duplicate or missing field: `sr`, `sig`, `se` or `skn`; `nil` for other errors.
    public let field: String?
    /// The byte offset of the first invalid byte. For a missing field, the text's length; for an invalid number or signature,
    /// the offset of the value.
    public let offset: Int?
    private let otherCodes: [Code]
    private let reason: String?

    /// Creates an error, for testing error handlers.
    ///
    /// - Parameters:
    ///   - code: The first failed check.
    ///   - otherCodes: The other failed checks.
    ///   - field: The invalid field's name.
    ///   - offset: The byte offset of the first invalid byte.
    public init(_ code: Code, _ otherCodes: [Code] = [], field: String? = nil, offset: Int? = nil) {
        (self.code, self.otherCodes, self.field, self.offset, reason) = (code, otherCodes, field, offset, nil)
    }

    /// Creates an error for a resource's URL.
    init(invalidResource reason: String) {
        (code, otherCodes, field, offset, self.reason) = (.invalidResource, [], nil, nil, reason)
    }

    /// The problems and their location in one line.
    public var description: String { codes.map(text).joined(separator: "; ") }

    private func text(_ code: Code) -> String {
        let name = field ?? "field"
        let place = offset.map { " at byte \($0)" } ?? ""
        return switch code {
        case .missing: "missing Authorization header with a SharedAccessSignature"
        case .tooLong: "the token is longer than \(SASToken.maximumByteCount) bytes"
        case .invalidScheme: "the token does not start with \"SharedAccessSignature \""
        case .unknownField: "unknown field\(place) of the token (allowed: sr, sig, se, skn)"
        case .duplicateField: "duplicate \(name)\(place) of the token"
        case .missingField: "the token has no \(name)"
        case .invalidField: "invalid \(name)\(place) of the token: expected \(rule)"
        case .unknownKey: "no key given for the policy that the token names"
        case .invalidSignature: "the signature does not match the key"
        case .expired: "the token has expired"
        case .lifetimeTooLong: "the token is valid for longer than allowed"
        case .outOfScope: "the token is for another resource"
        case .invalidResource:
            "invalid resource: \(reason ?? "it is ambiguous") (expected a URL such as "
                + "https://contoso.servicebus.windows.net/hub)"
        default: code.rawValue
        }
    }

    private var rule: String {
        switch field {
        case "se": "decimal seconds since 1970"
        case "sig": "32 bytes in Base64, percent-encoded"
        default: "text, percent-encoded"
        }
    }
}
