/// Why the backend has not done what it was asked for.
///
/// A cancelled call throws `CancellationError` instead.
public struct BackendError: Error, Hashable, Sendable {
    /// What kind of failure it is.
    public let code: Code
    /// The response's HTTP status, if there was one.
    public let status: Int?
    /// What is known besides, in one line; nothing that the backend has said in its own words.
    public let detail: String?

    init(_ code: Code, status: Int? = nil, detail: String? = nil) {
        self.code = code
        self.status = status
        self.detail = detail
    }

    /// A kind of failure. More kinds may come: give every `switch` a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// There is no credential, or the backend does not take it (401): the user has to sign in. Until then an app shows its
        /// generic notification in place of a secure one.
        public static let needsAuthentication = Code(name: "needsAuthentication")
        /// What was asked for is another user's (403).
        public static let forbidden = Code(name: "forbidden")
        /// There is none: it has expired, was shown already, or is another user's (404).
        public static let notFound = Code(name: "notFound")
        /// The registration's id is of no use any more, and neither is a new one (410).
        public static let gone = Code(name: "gone")
        /// The backend does not take this: the handle, a tag, too much of either (400, 413, 415, 422).
        public static let badRequest = Code(name: "badRequest")
        /// The backend, or the hub behind it, is busy or has failed (408, 429, and 500 to 599 but for 502 and 504): try again
        /// later.
        public static let unavailable = Code(name: "unavailable")
        /// No answer, or none that says so (502 and 504): what was asked for may have been done. Registering may be repeated; a
        /// message that is sent again may be shown twice.
        public static let mayHaveBeenDone = Code(name: "mayHaveBeenDone")
        /// The backend was not reached, and has done nothing.
        public static let connectionFailed = Code(name: "connectionFailed")
        /// A response that is none of such a backend.
        public static let invalidResponse = Code(name: "invalidResponse")

        /// The code's name.
        public var description: String { name }
    }
}

extension BackendError {
    /// The error that a status stands for.
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

extension BackendError: CustomStringConvertible {
    /// The failure in one line.
    public var description: String {
        "\(code)" + (status.map { " (status \($0))" } ?? "") + (detail.map { ": \($0)" } ?? "")
    }
}
