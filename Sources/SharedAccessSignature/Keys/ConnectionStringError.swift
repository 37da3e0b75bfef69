/// An invalid connection string, or an invalid part of one: an endpoint, a key, a hub's name.
///
/// It contains no value, so it can be logged.
public struct ConnectionStringError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong. Codes can be added: give every `switch` a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let rawValue: String

        /// The code's name.
        public var description: String { rawValue }

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// A field is missing.
        public static let missingField = Code("missingField")
        /// A field is given more than once.
        public static let duplicateField = Code("duplicateField")
        /// A field has an unknown name.
        public static let unknownField = Code("unknownField")
        /// A part between semicolons has no equals sign.
        public static let missingEqualsSign = Code("missingEqualsSign")
        /// A field has no value.
        public static let emptyField = Code("emptyField")
        /// A field's value is invalid.
        public static let invalidField = Code("invalidField")
        /// A key is given together with a `SharedAccessSignature`.
        public static let conflictingFields = Code("conflictingFields")
        /// An endpoint or a namespace is invalid, or would send tokens over plain HTTP.
        public static let invalidEndpoint = Code("invalidEndpoint")
        /// The `SharedAccessSignature` is invalid.
        public static let invalidToken = Code("invalidToken")
        /// A key is not base64 text, or only zeros.
        public static let invalidKey = Code("invalidKey")
        /// Signing needs a key, and the connection string has a `SharedAccessSignature` in its place.
        public static let missingKey = Code("missingKey")
        /// A hub's name is invalid.
        public static let invalidHubName = Code("invalidHubName")
    }

    /// What is wrong.
    public let code: Code
    /// The name of the connection string's field, such as `Endpoint`; `nil` for an unknown one.
    public let field: String?
    /// The first byte of the field in the connection string, counted from 0. For a missing field, the text's length; for a
    /// hub's name, its first invalid byte.
    public let offset: Int?
    private let reason: String

    /// Creates an error, for tests of code that handles one.
    ///
    /// - Parameters:
    ///   - code: What is wrong.
    ///   - reason: What is wrong and how to fix it, in one line.
    ///   - field: The field's name.
    ///   - offset: The field's first byte.
    public init(_ code: Code, _ reason: String, field: String? = nil, offset: Int? = nil) {
        (self.code, self.reason, self.field, self.offset) = (code, reason, field, offset)
    }

    /// What is wrong, where, and how to fix it, in one line.
    public var description: String { reason }

    /// The error of an endpoint as one of a connection string's field.
    func inConnectionString(_ field: ConnectionString.Field, offset: Int) -> ConnectionStringError {
        ConnectionStringError(
            code, "invalid \(field.rawValue) at byte \(offset) of the connection string: \(reason)",
            field: field.rawValue, offset: offset)
    }
}
