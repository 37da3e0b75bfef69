/// A call of ``DeviceRegistrar`` failed, or its input is invalid.
///
/// A cancelled call throws `CancellationError` instead.
public struct DeviceRegistrationError: Error, Hashable, Sendable {
    /// The kind of failure.
    public let code: Code
    /// The HTTP status of the response, if there was one.
    public let status: Int?
    /// Details in one line; never the text of a response.
    public let detail: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - status: The HTTP status of the response, if there was one.
    ///   - detail: Details in one line.
    public init(_ code: Code, status: Int? = nil, detail: String? = nil) {
        self.code = code
        self.status = status
        self.detail = detail
    }

    /// A kind of failure. More kinds may follow: give every `switch` a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name, such as `needsAuthentication`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// An address or a credential is invalid. Nothing was sent.
        public static let invalidInput = Code("invalidInput")
        /// There is no credential, or the backend rejects it (401): the user must sign in. Until then an app shows its generic
        /// notification in place of a secure one.
        public static let needsAuthentication = Code("needsAuthentication")
        /// The requested resource belongs to another user (403).
        public static let forbidden = Code("forbidden")
        /// Not found: expired, already read, or another user's (404).
        public static let notFound = Code("notFound")
        /// The registration's id is no longer valid, and neither was a new one (410).
        public static let gone = Code("gone")
        /// The backend rejects the handle, a tag, or the size of either (400, 413, 415, 422).
        public static let badRequest = Code("badRequest")
        /// The backend or its hub is busy or has failed (408, 429, and 500 to 599 except 502 and 504): try again later.
        public static let unavailable = Code("unavailable")
        /// No conclusive response (502 and 504, or none at all): the request may have been executed. A registration can be
        /// repeated; a message that is sent again may be shown twice.
        public static let mayHaveBeenDone = Code("mayHaveBeenDone")
        /// The backend was not reached, and has done nothing.
        public static let connectionFailed = Code("connectionFailed")
        /// The response is not one of an app backend.
        public static let invalidResponse = Code("invalidResponse")

        /// The name.
        public var description: String { rawValue }
    }
}

extension DeviceRegistrationError {
    static func invalid(_ detail: String) -> Self { Self(.invalidInput, detail: detail) }

    /// The error of a status.
    init(status: Int) {
        let code: Code =
            switch status {
            case 400, 413, 415, 422: .badRequest
            case 401: .needsAuthentication
            case 403: .forbidden
            case 404: .notFound
            case 410: .gone
            case 502, 504: .mayHaveBeenDone
            case 408, 429, 500...599: .unavailable
            default: .invalidResponse
            }
        self.init(code, status: status)
    }
}

extension DeviceRegistrationError: CustomStringConvertible {
    /// The failure in one line.
    public var description: String {
        "\(code)" + (status.map { " (status \($0))" } ?? "") + (detail.map { ": \($0)" } ?? "")
    }
}
