/// What carries requests to the service.
///
/// A conformance does one thing: it sends one request, once, and returns the response, whatever its status. It follows no
/// redirect, answers no authentication challenge, and sends the request's headers to the request's endpoint alone.
/// Signing, reading errors and everything else is the client's part.
public protocol HubTransport: Sendable {
    /// Sends a request and waits for the whole response.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - timeout: the time from the call to the response's last byte, after which the transport must throw. The client sets
    ///     no timer of its own: a transport that ignores the timeout makes calls exceed their deadline.
    /// - Throws: ``HubTransportError``, or `CancellationError` once the task is cancelled. Of any other error nothing is
    ///   known, and the client takes it for one of ``HubTransportError/Delivery/unknown``.
    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse
}

/// Why a transport has no response.
public struct HubTransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is known of the request's fate.
    public enum Delivery: Sendable {
        /// The request was not sent; the service cannot have acted on it.
        case notSent
        /// The service may have read the request and acted on it.
        case unknown
    }

    /// Whether the service can have acted on the request.
    public let delivery: Delivery
    /// Whether the time-out ended the attempt.
    public let isTimeout: Bool
    /// What happened, in one line, without any header.
    public let description: String

    /// An attempt that got no response.
    public init(_ description: String, delivery: Delivery, isTimeout: Bool = false) {
        self.description = description
        self.delivery = delivery
        self.isTimeout = isTimeout
    }
}
