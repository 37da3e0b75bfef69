/// An error of a ``DeviceRegistrar`` call, or of the creation of an address or a credential.
///
/// A cancelled call throws `CancellationError` instead.
public struct DeviceRegistrationError: Error, Hashable, Sendable {
    /// The kind of failure.
    public let code: Code
    /// The HTTP status of the response, if there was one.
    public let status: Int?
    /// Details in one line. They never contain text from a response.
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

    /// A kind of failure. New codes can be added, so every `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name, such as `needsAuthentication`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// An address or a credential is invalid. No request was sent.
        public static let invalidInput = Code("invalidInput")
        /// The credential is missing, or the backend rejected it (401). The user must sign in; until then, show a generic
        /// notification.
        public static let needsAuthentication = Code("needsAuthentication")
        /// The requested resource belongs to another user (403).
        public static let forbidden = Code("forbidden")
        /// The resource was not found: it has expired, was already read, or belongs to another user (404).
        public static let notFound = Code("notFound")
        /// The backend rejected the registration's ID, and also a new one (410).
        public static let gone = Code("gone")
        /// The backend rejected the request, such as for an invalid handle, an invalid tag or a large body (400, 413,
        /// 415, 422).
        public static let badRequest = Code("badRequest")
        /// The backend or its hub is unavailable (429, and 501 to 599 except 502 and 504). Try again later.
        public static let unavailable = Code("unavailable")
        /// The request may have been executed: the response was lost, or its status is 408, 500, 502 or 504. Registering
        /// again is safe; a message that is sent again may be shown twice.
        public static let mayHaveBeenDone = Code("mayHaveBeenDone")
        /// The connection to the backend failed. The request was not executed.
        public static let connectionFailed = Code("connectionFailed")
        /// The response is not valid for an app backend.
        public static let invalidResponse = Code("invalidResponse")

        /// The name.
        public var description: String { rawValue }
    }
}

extension DeviceRegistrationError {
    static func invalid(_ detail: String) -> Self { Self(.invalidInput, detail: detail) }

    /// Creates an error from a response's status.
    init(status: Int) {
        let code: Code =
            switch status {
            case 400, 413, 415, 422: .badRequest
            case 401: .needsAuthentication
            case 403: .forbidden
            case 404: .notFound
            case 410: .gone
            case 408, 500, 502, 504: .mayHaveBeenDone
            case 429, 501...599: .unavailable
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
