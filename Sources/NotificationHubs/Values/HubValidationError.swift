/// An error for invalid input, thrown before a request is sent.
///
/// ```swift
/// do {
///     channel = try PushChannel.apple(hexDeviceToken: text)
/// } catch {
///     throw Abort(.badRequest, reason: error.description)
/// }
/// ```
///
/// The error does not contain secrets. It quotes names from the input, escaped and truncated.
public struct HubValidationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A rule that input can violate. Codes can be added: give every `switch` a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let rawValue: String

        /// The code's name.
        public var description: String { rawValue }

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// Missing or invalid hub name, or a name that differs from the connection string's `EntityPath`.
        public static let invalidHubName = Code("invalidHubName")
        /// Invalid ID of an installation, registration, user, notification or job.
        public static let invalidID = Code("invalidID")
        /// Invalid tag, or more than one tag of a kind that the service adds.
        public static let invalidTag = Code("invalidTag")
        /// Invalid syntax of a tag expression, or nesting deeper than 32.
        public static let invalidTagExpression = Code("invalidTagExpression")
        /// Empty list of tags, or one whose tags are all excluded.
        public static let missingTags = Code("missingTags")
        /// More tags than the service accepts for a device, a template or an expression.
        public static let tooManyTags = Code("tooManyTags")
        /// Invalid template name, or a registration's template that is invalid or that the platform does not support.
        public static let invalidTemplate = Code("invalidTemplate")
        /// Invalid secondary tile, or one for a platform without tiles.
        public static let invalidSecondaryTile = Code("invalidSecondaryTile")
        /// Empty platform name, `fcm`, or a platform that does not support registrations.
        public static let invalidPlatform = Code("invalidPlatform")
        /// Notification for a platform other than the device's, or a browser in a batch.
        public static let platformMismatch = Code("platformMismatch")
        /// Invalid push channel.
        public static let invalidPushChannel = Code("invalidPushChannel")
        /// Empty list of devices, or a batch without a chunk to retry.
        public static let missingDevices = Code("missingDevices")
        /// Invalid name or value of a header, or of an option that is sent as a header.
        public static let invalidHeader = Code("invalidHeader")
        /// Notification body that is not JSON or XML in the platform's format, or that has a value that the platform rejects.
        public static let invalidPayload = Code("invalidPayload")
        /// Notification body that is longer than the service or, for a raw or typed payload, the platform accepts.
        public static let payloadTooLarge = Code("payloadTooLarge")
        /// Scheduled time in the past, or a date outside the range of its use.
        public static let invalidDate = Code("invalidDate")
        /// Invalid entity tag.
        public static let invalidEntityTag = Code("invalidEntityTag")
        /// Invalid continuation token.
        public static let invalidContinuationToken = Code("invalidContinuationToken")
        /// Invalid URL of a container or blob.
        public static let invalidURL = Code("invalidURL")
        /// Invalid JSON, or a JSON member that is missing or has an unexpected type.
        public static let invalidJSON = Code("invalidJSON")
        /// Character in a registration, job or hub's description that XML does not allow.
        public static let invalidCharacter = Code("invalidCharacter")
    }

    /// The rule that the input violates.
    public let code: Code
    /// The path of the invalid part, such as `tags/3`; `nil` for the value itself.
    public let path: String?
    /// The offset of the first invalid byte of a string; `nil` if the string is invalid as a whole.
    public let offset: Int?
    private let reason: String

    /// Creates an error, for testing error handlers.
    ///
    /// - Parameters:
    ///   - code: The rule that the input violates.
    ///   - reason: The problem and its fix, in one line.
    ///   - path: The path of the invalid part.
    ///   - offset: The offset of the first invalid byte.
    public init(_ code: Code, _ reason: String, path: String? = nil, offset: Int? = nil) {
        self.code = code
        self.reason = reason
        self.path = path
        self.offset = offset
    }

    /// The invalid part, the problem and its fix, in one line.
    public var description: String {
        (path.map { "\($0): " } ?? "") + reason
    }

    /// Returns the error with a path below a parent.
    package func at(_ parent: String) -> HubValidationError {
        HubValidationError(code, reason, path: path.map { "\(parent)/\($0)" } ?? parent, offset: offset)
    }

    /// Returns the error for a part that starts at an offset of an expression.
    func at(offset: Int) -> HubValidationError {
        HubValidationError(code, "\(reason), at byte \(offset) of the expression", path: path, offset: offset)
    }
}
