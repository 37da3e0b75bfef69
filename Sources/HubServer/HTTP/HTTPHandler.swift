package import HubLock

/// A function that handles requests.
///
/// The server calls it concurrently, on the threads of the connections. The function must not block for long. To wait, it
/// returns ``HTTPAction/poll(_:)``, which ends when the client disconnects or the server stops.
package typealias HTTPHandler = @Sendable (HTTPRequest) -> HTTPAction

/// The server's action for a request.
package enum HTTPAction: Sendable {
    /// Sends a response. The server sets `Content-Length`, `Connection` and a missing `Date`, and omits the body for HEAD.
    case respond(HTTPResponse)
    /// Resets the connection without a response.
    case reset
    /// Keeps the request open until its check returns an action or its timeout passes.
    case poll(HTTPPoll)

    /// Waits, then performs another action.
    package static func delay(_ duration: Duration, then: @escaping @Sendable () -> HTTPAction) -> HTTPAction {
        .poll(HTTPPoll(timeout: duration, changes: [], check: { nil }, onTimeout: then))
    }
}

extension HTTPAction {
    /// Returns an action that calls a closure with its response, or with `nil` when it resets the connection.
    package func observed(by observer: @escaping @Sendable (HTTPResponse?) -> Void) -> HTTPAction {
        switch self {
        case .respond(let response): observer(response)
        case .reset: observer(nil)
        case .poll(let poll):
            return .poll(
                HTTPPoll(
                    timeout: poll.timeout, changes: poll.changes, timeToNextCheck: poll.timeToNextCheck,
                    check: { poll.check()?.observed(by: observer) },
                    onTimeout: { poll.onTimeout().observed(by: observer) }))
        }
        return self
    }
}

/// A wait for a change of a state.
package struct HTTPPoll: Sendable {
    /// The maximum wait. The wait ends early when the server stops or the client disconnects.
    package let timeout: Duration
    /// The changes after which `check` is called again.
    package let changes: [ChangeSignal]
    /// A closure that returns the time after which `check` is called even without a change; `nil` for none.
    package let timeToNextCheck: @Sendable () -> Duration?
    /// A closure that returns the action, or `nil` to continue waiting. It is called at the start, too.
    package let check: @Sendable () -> HTTPAction?
    /// A closure that returns the action at the end of the wait.
    package let onTimeout: @Sendable () -> HTTPAction

    package init(
        timeout: Duration, changes: [ChangeSignal], timeToNextCheck: @escaping @Sendable () -> Duration? = { nil },
        check: @escaping @Sendable () -> HTTPAction?, onTimeout: @escaping @Sendable () -> HTTPAction
    ) {
        (self.timeout, self.changes, self.timeToNextCheck) = (timeout, changes, timeToNextCheck)
        (self.check, self.onTimeout) = (check, onTimeout)
    }
}
