import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A request that is not done: what its sender is told, and what the operator is.
struct Refusal: Error {
    let status: Int
    let text: String
    let headers: HubHeaders
    /// The reason, where it is not the caller's.
    let cause: (any Error)?

    init(_ status: Int, _ text: String, headers: HubHeaders = [:], cause: (any Error)? = nil) {
        self.status = status
        self.text = text
        self.headers = headers
        self.cause = cause
    }

    /// There is no such thing, or it is another user's: nobody can tell which.
    static let notFound = Refusal(404, "there is nothing here")
    /// An id that is of no use to this user, whoever has it: the device is to get itself another.
    static let gone = Refusal(410, "the id is of no use any more: get another")

    /// What to make of an error that nobody expected here.
    init(_ error: any Error) {
        switch error {
        case let error as HubError: self.init(error)
        case let error as NotificationHub.InvalidName: self.init(400, error.description)
        case let error as PushNotification.Invalid: self.init(error)
        default: self.init(503, "the backend cannot do this now: try again later", cause: error)
        }
    }

    /// What becomes of a payload that there is no room for.
    init(_ limit: SecurePayloadLimit, now: Date) {
        switch limit {
        case .ofUser(let end):
            let seconds = end.map { $0.timeIntervalSince(now).rounded(.up) }.flatMap { Int(exactly: $0) }
            self.init(
                429, "too many payloads of yours have not ended yet",
                headers: seconds.map { ["Retry-After": "\(max(1, $0))"] } ?? [:], cause: limit)
        case .ofStore:
            self.init(503, "the backend cannot do this now: try again later", cause: limit)
        }
    }

    private init(_ error: PushNotification.Invalid) {
        switch error.reason {
        case .tooLarge: self.init(413, "the message is too large for a push notification")
        default: self.init(400, error.description)
        }
    }

    /// What becomes of the hub's answer. Of a hub that does not take the backend's own request or key, the caller learns
    /// that it is not the caller's fault, and no more.
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
                429, "too many calls: try again later",
                headers: seconds.map { ["Retry-After": "\($0)"] } ?? [:], cause: error)
        case .serviceFailed, .connectionFailed, .timedOut, .conflict, .preconditionFailed:
            self.init(503, "the push service cannot do this now: try again later", cause: error)
        case .mayHaveBeenAccepted:
            self.init(502, "the push service has not answered: it may have been done", cause: error)
        default:
            self.init(502, "the push service does not do this", cause: error)
        }
    }
}
