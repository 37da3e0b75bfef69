/// An HTTP client that carries requests to the service.
///
/// A transport sends each request at most once and returns the response, regardless of its status. It must not follow redirects,
/// respond to authentication challenges, or send the request's headers to another endpoint. ``NotificationHub`` signs
/// requests, retries them and parses errors.
public protocol HubTransport: Sendable {
    /// Sends a request and returns the complete response.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - timeout: The longest time from the call to the response's last byte. The transport must then throw: the client has
    ///     no timer of its own, so calls exceed their deadline if the transport ignores the timeout.
    /// - Throws: ``HubTransportError``, or `CancellationError` when the task is cancelled. The client treats any other error
    ///   as a failure with ``HubTransportError/Delivery/unknown``.
    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse
}

/// An error of a transport that got no response.
public struct HubTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whether the service can have received the request.
    public enum Delivery: Sendable {
        /// The request was not sent, so the service cannot have acted on it.
        case notSent
        /// The service may have read the request and acted on it.
        case unknown
    }

    /// Whether the service can have acted on the request.
    public let delivery: Delivery
    /// Whether the attempt timed out.
    public let isTimeout: Bool
    /// The reason for the failure, in one line. It must not contain the request's headers or body.
    public let description: String

    /// Creates an error.
    public init(_ description: String, delivery: Delivery, isTimeout: Bool = false) {
        self.description = description
        self.delivery = delivery
        self.isTimeout = isTimeout
    }
}
