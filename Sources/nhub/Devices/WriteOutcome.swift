import NotificationHubs

/// The outcome of one attempt to write a device.
enum WriteOutcome: Hashable, Sendable {
    /// The hub accepted the write.
    case accepted
    /// The hub or the client rejected the write permanently.
    case rejected(String)
    /// The hub throttled the request.
    case throttled(retryAfter: Duration?)
    /// The request got no response or a server error, and a retry may succeed.
    case transientError(String, isConnectionError: Bool)
    /// No device can be written with these settings.
    case permanentError(String)
    /// The attempt was cancelled.
    case cancelled

    /// Creates the outcome for an error that the call threw.
    init(_ error: any Error) {
        switch error {
        case is CancellationError:
            self = .cancelled
        case let error as HubError:
            self.init(error)
        default:
            self = .rejected("\(error)")
        }
    }

    private init(_ error: HubError) {
        let reason = HubFailure(error).description
        switch error.code {
        case .throttled:
            self = .throttled(retryAfter: error.retryAfter)
        case .unauthorized, .forbidden, .notFound:
            self = .permanentError(reason)
        case .connectionFailed, .timedOut:
            self = .transientError(reason, isConnectionError: true)
        case .serviceFailed where error.retryAfter != nil:
            self = .throttled(retryAfter: error.retryAfter)
        case .serviceFailed, .unexpectedStatus:
            self = .transientError(reason, isConnectionError: false)
        default:
            self = .rejected(reason)
        }
    }
}
