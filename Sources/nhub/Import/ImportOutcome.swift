import NotificationHubs

/// How one attempt to put an installation ended, as far as it matters for what follows.
enum ImportOutcome: Hashable, Sendable {
    /// The hub took it.
    case put
    /// The hub, or the client itself, will never take this installation.
    case refused(String)
    /// The hub wants nobody to call for a while.
    case throttled(for: Duration?)
    /// No answer, or one that blames the hub itself: it may go well later.
    case trouble(String, isSilent: Bool)
    /// No installation at all can be put like this.
    case hopeless(String)
    /// The attempt was broken off.
    case cancelled

    /// - Parameter error: what the call threw.
    init(_ error: any Error) {
        switch error {
        case is CancellationError:
            self = .cancelled
        case let error as HubError:
            self.init(error)
        default:
            self = .refused("\(error)")
        }
    }

    private init(_ error: HubError) {
        switch error.code {
        case .throttled:
            self = .throttled(for: error.retryAfter)
        case .unauthorized, .forbidden, .notFound:
            self = .hopeless("\(error)")
        case .connectionFailed, .timedOut:
            self = .trouble("\(error)", isSilent: true)
        case .serviceFailed where error.retryAfter != nil:
            self = .throttled(for: error.retryAfter)
        case .serviceFailed, .unexpectedStatus:
            self = .trouble("\(error)", isSilent: false)
        default:
            self = .refused("\(error)")
        }
    }
}
