import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A rejected request: what the response says, and the cause for the observer.
struct Refusal: Error {
    let status: Int
    let text: String
    let headers: HubHeaders
    /// The error that the caller did not cause.
    let cause: (any Error)?

    init(_ status: Int, _ text: String, headers: HubHeaders = [:], cause: (any Error)? = nil) {
        self.status = status
        self.text = text
        self.headers = headers
        self.cause = cause
    }

    /// Not found, or another user's: the response is the same.
    static let notFound = Refusal(404, "not found")
    /// An id that this user cannot use: the device must request a new one.
    static let gone = Refusal(410, "the id is no longer valid: request a new one")

    /// The response to any other error.
    init(_ error: any Error) {
        switch error {
        case let error as HubError: self.init(error)
        case let error as HubValidationError: self.init(error)
        default: self.init(503, "the backend is unavailable: try again later", cause: error)
        }
    }

    /// The response when a store is full.
    init(_ error: SecurePayloadStoreError, now: Date) {
        switch error {
        case .userLimitReached(let end):
            let seconds = end.map { $0.timeIntervalSince(now).rounded(.up) }.flatMap { Int(exactly: $0) }
            self.init(
                429, "too many of your payloads have not expired yet",
                headers: seconds.map { ["Retry-After": "\(max(1, $0))"] } ?? [:], cause: error)
        case .storeFull:
            self.init(503, "the backend is unavailable: try again later", cause: error)
        }
    }

    private init(_ error: HubValidationError) {
        switch error.code {
        case .payloadTooLarge: self.init(413, "the message is too large for a push notification")
        default: self.init(400, error.description)
        }
    }

    /// The response to the hub's error. If the hub rejects the backend's own request or key, the caller learns only that
    /// the caller is not the cause.
    private init(_ error: HubError) {
        switch error.code {
        case .gone:
            self = .gone
        case .payloadTooLarge:
            self.init(413, "the message is too large for a push notification", cause: error)
        case .throttled:
            // In whole seconds, as the header has them.
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
