/// A function that handles requests.
///
/// The server calls it concurrently, on the threads of the connections. The function must not block for long. To wait, it
/// returns ``HTTPAction/poll(timeout:check:onTimeout:)``, which ends when the client disconnects or the server stops.
package typealias HTTPHandler = @Sendable (HTTPRequest) -> HTTPAction

/// The server's action for a request.
package enum HTTPAction: Sendable {
    /// Sends a response. The server sets `Content-Length`, `Connection` and a missing `Date`, and omits the body for HEAD.
    case respond(HTTPResponse)
    /// Resets the connection without a response.
    case reset
    /// Keeps the request open and calls a closure repeatedly until it returns an action.
    ///
    /// - Parameters:
    ///   - timeout: The maximum wait. The wait ends early when the server stops or the client disconnects.
    ///   - check: Returns the action, or `nil` to continue waiting.
    ///   - onTimeout: Returns the action at the end of the wait.
    case poll(
        timeout: Duration, check: @Sendable () -> HTTPAction?, onTimeout: @Sendable () -> HTTPAction)

    /// Waits, then performs another action.
    package static func delay(_ duration: Duration, then: @escaping @Sendable () -> HTTPAction) -> HTTPAction {
        .poll(timeout: duration, check: { nil }, onTimeout: then)
    }
}

extension HTTPAction {
    /// Returns an action that calls a closure with its response, or with `nil` when it resets the connection.
    package func observed(by observer: @escaping @Sendable (HTTPResponse?) -> Void) -> HTTPAction {
        switch self {
        case .respond(let response): observer(response)
        case .reset: observer(nil)
        case .poll(let timeout, let check, let onTimeout):
            return .poll(
                timeout: timeout, check: { check()?.observed(by: observer) },
                onTimeout: { onTimeout().observed(by: observer) })
        }
        return self
    }
}
