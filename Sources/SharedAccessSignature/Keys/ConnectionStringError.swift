/// An error in a connection string, an endpoint, a key or a hub's name.
///
/// The error contains no field values, so you can log it.
public struct ConnectionStringError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of problem. New codes can be added, so every `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let rawValue: String

        /// The code's name.
        public var description: String { rawValue }

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// A field is missing.
        public static let missingField = Code("missingField")
        /// A field appears more than once.
        public static let duplicateField = Code("duplicateField")
        /// A field has an unknown name.
        public static let unknownField = Code("unknownField")
        /// A field has no equals sign.
        public static let missingEqualsSign = Code("missingEqualsSign")
        /// A field has no value.
        public static let emptyField = Code("emptyField")
        /// A field's value is invalid.
        public static let invalidField = Code("invalidField")
        /// The connection string contains both a key and a `SharedAccessSignature`.
        public static let conflictingFields = Code("conflictingFields")
        /// An endpoint, a namespace or a host name is invalid, or would send tokens over plain HTTP.
        public static let invalidEndpoint = Code("invalidEndpoint")
        /// The `SharedAccessSignature` is invalid.
        public static let invalidToken = Code("invalidToken")
        /// The account key of Azure Storage is not Base64 text, or contains only zeros.
        public static let invalidKey = Code("invalidKey")
        /// Signing needs a key, but the connection string contains a `SharedAccessSignature`.
        public static let missingKey = Code("missingKey")
        /// A hub's name is invalid.
        public static let invalidHubName = Code("invalidHubName")
    }

    /// The kind of problem.
    public let code: Code
    /// The name of the invalid field, such as `Endpoint`; `nil` for an unknown field.
    public let field: String?
    /// The byte offset of the invalid field in the connection string. For a missing field, the string's length; for a hub's
    /// name, the offset of its first invalid byte.
    public let offset: Int?
    private let reason: String

    /// Creates an error, for testing error handlers.
    ///
    /// - Parameters:
    ///   - code: The kind of problem.
    ///   - reason: The problem and its fix in one line.
    ///   - field: The invalid field's name.
    ///   - offset: The invalid field's byte offset.
    public init(_ code: Code, _ reason: String, field: String? = nil, offset: Int? = nil) {
        (self.code, self.reason, self.field, self.offset) = (code, reason, field, offset)
    }

    /// The problem, its location and its fix in one line.
    public var description: String { reason }
}
