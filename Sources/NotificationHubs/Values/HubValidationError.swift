/// Invalid input, found before a request is sent.
///
/// ```swift
/// do {
///     channel = try PushChannel.apple(hexDeviceToken: text)
/// } catch {
///     throw Abort(.badRequest, reason: error.description)
/// }
/// ```
///
/// It contains no secret: of the input, at most a name, escaped and cut short.
public struct HubValidationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule that the input breaks. Codes can be added: give every `switch` a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let rawValue: String

        /// The code's name.
        public var description: String { rawValue }

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// A hub's name, or one that differs from the connection string's `EntityPath`.
        public static let invalidHubName = Code("invalidHubName")
        /// An id of an installation, registration, user, notification or job.
        public static let invalidID = Code("invalidID")
        /// A tag.
        public static let invalidTag = Code("invalidTag")
        /// A tag expression's syntax.
        public static let invalidTagExpression = Code("invalidTagExpression")
        /// An empty list of tags.
        public static let missingTags = Code("missingTags")
        /// More tags than the service accepts.
        public static let tooManyTags = Code("tooManyTags")
        /// A template's name, or a template that its platform does not support.
        public static let invalidTemplate = Code("invalidTemplate")
        /// A secondary tile.
        public static let invalidSecondaryTile = Code("invalidSecondaryTile")
        /// A platform's name, or a platform without the feature.
        public static let invalidPlatform = Code("invalidPlatform")
        /// A notification for another platform than the device's.
        public static let platformMismatch = Code("platformMismatch")
        /// A device's push channel.
        public static let invalidPushChannel = Code("invalidPushChannel")
        /// An empty list of devices.
        public static let missingDevices = Code("missingDevices")
        /// A header's name or value.
        public static let invalidHeader = Code("invalidHeader")
        /// A notification's body.
        public static let invalidPayload = Code("invalidPayload")
        /// A notification's body that is longer than its platform or the service accepts.
        public static let payloadTooLarge = Code("payloadTooLarge")
        /// A time that is past or outside the years 1 to 9999.
        public static let invalidDate = Code("invalidDate")
        /// An entity tag.
        public static let invalidEntityTag = Code("invalidEntityTag")
        /// A continuation token.
        public static let invalidContinuationToken = Code("invalidContinuationToken")
        /// The URL of a container or blob.
        public static let invalidURL = Code("invalidURL")
        /// Text that is not JSON, or JSON that lacks a member or has one of another type.
        public static let invalidJSON = Code("invalidJSON")
        /// A character that XML cannot contain.
        public static let invalidCharacter = Code("invalidCharacter")
    }

    /// The rule that the input breaks.
    public let code: Code
    /// The invalid part of a larger value, such as `tags/3`; `nil` for the value itself.
    public let path: String?
    /// The first invalid byte of a text, counted from 0; `nil` where the text as a whole is invalid.
    public let offset: Int?
    private let reason: String

    /// Creates an error, for tests of code that handles one.
    ///
    /// - Parameters:
    ///   - code: The rule that the input breaks.
    ///   - reason: What is wrong and how to fix it, in one line.
    ///   - path: The invalid part of a larger value.
    ///   - offset: The first invalid byte of a text.
    public init(_ code: Code, _ reason: String, path: String? = nil, offset: Int? = nil) {
        self.code = code
        self.reason = reason
        self.path = path
        self.offset = offset
    }

    /// The invalid part, what is wrong with it and how to fix it, in one line.
    public var description: String {
        (path.map { "\($0): " } ?? "") + reason
    }

    /// The error as one of a part of a larger value.
    package func at(_ parent: String) -> HubValidationError {
        HubValidationError(code, reason, path: path.map { "\(parent)/\($0)" } ?? parent, offset: offset)
    }

    /// The error as one of a text that begins at an offset of a larger text.
    func at(offset: Int) -> HubValidationError {
        HubValidationError(code, "\(reason), at byte \(offset) of the expression", path: path, offset: offset)
    }
}
