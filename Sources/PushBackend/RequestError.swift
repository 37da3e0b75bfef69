import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// An error response, and its cause for the observer.
struct RequestError: Error {
    let status: Int
    let message: String
    let headers: HubHeaders
    /// The underlying error, which only the observer receives.
    let cause: (any Error)?

    init(_ status: Int, _ message: String, headers: HubHeaders = [:], cause: (any Error)? = nil) {
        self.status = status
        self.message = message
        self.headers = headers
        self.cause = cause
    }

    /// The resource does not exist or belongs to another user. Both get the same response.
    static let notFound = RequestError(404, "not found")
    /// This user cannot use the ID. The device must request a new one.
    static let gone = RequestError(410, "the ID is no longer valid: request a new one")

    /// Creates the response to any other error.
    init(_ error: any Error) {
        switch error {
        case let error as HubError: self.init(error)
        case let error as HubValidationError: self.init(error)
        default: self = .unavailable(error)
        }
    }

    /// Returns the response to an error of the authenticator or the store.
    static func unavailable(_ error: any Error) -> RequestError {
        RequestError(503, "the backend is unavailable: try again later", cause: error)
    }

    /// Creates the response to a full store.
    init(_ error: SecurePayloadStoreError, now: Date) {
        switch error {
        case .userLimitReached(let end):
            let seconds = end.map { $0.timeIntervalSince(now).rounded(.up) }.flatMap { Int(exactly: $0) }
            self.init(
                429, "too many unexpired payloads: try again later",
                headers: seconds.map { ["Retry-After": "\(max(1, $0))"] } ?? [:], cause: error)
        case .storeFull:
            self = .unavailable(error)
        }
    }

    private init(_ error: HubValidationError) {
        switch error.code {
        case .payloadTooLarge: self.init(413, "the message is too large for a push notification")
        default: self.init(400, error.description)
        }
    }

    /// Creates the response to an error of the hub. If the hub rejects the backend's own request or key, the response does not
    /// include the reason.
    private init(_ error: HubError) {
        switch error.code {
        case .gone:
            self = .gone
        case .payloadTooLarge:
            self.init(413, "the message is too large for a push notification", cause: error)
        case .throttled:
            // Retry-After has whole seconds.
            let seconds = error.retryAfter.map {
                max(1, $0.components.seconds + ($0.components.attoseconds > 0 ? 1 : 0))
            }
            self.init(
                429, "too many requests: try again later",
                headers: seconds.map { ["Retry-After": "\($0)"] } ?? [:], cause: error)
        case .serviceFailed, .connectionFailed, .timedOut, .conflict, .preconditionFailed:
            self.init(503, "the push service is unavailable: try again later", cause: error)
        case .mayHaveBeenAccepted:
            self.init(502, "no response from the push service: the request may have been executed", cause: error)
        default:
            self.init(502, "the push service rejected the request", cause: error)
        }
    }
}
