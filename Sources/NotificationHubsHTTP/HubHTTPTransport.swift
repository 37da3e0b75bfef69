import HubLock
public import NotificationHubs

/// An HTTP transport: libcurl on Linux, `URLSession` on Apple platforms.
///
/// ```swift
/// let hub = try NotificationHub(connectionString: text, hubName: "push", transport: .http)
/// ```
///
/// The transport does not follow redirects, does not answer authentication challenges, and does not store cookies or
/// responses. It requires TLS 1.2 or later for HTTPS, and verifies the certificate and host name.
///
/// Copies share connections. The connections close when the last copy is released and the last request has ended.
///
/// On Linux:
/// - The transport loads libcurl 7.68 or later at run time (`libcurl.so.4` from the package `libcurl4` or `libcurl`) and runs
///   one thread.
/// - ``send(_:timeout:)`` sends a request at most once, with HTTP/1.1. Requests beyond ``maximumConnections`` wait and start
///   in the order of their calls.
/// - Idle connections are reused for up to 50 seconds and, from libcurl 7.80, any connection for up to 5 minutes.
/// - `https_proxy`, `all_proxy` and `no_proxy` select a proxy. Requests use a tunnel, which the proxy cannot read. Requests without
///   TLS and to loopback hosts use no proxy.
/// - `SSL_CERT_FILE` names a file of certificate authorities to trust instead of the system's.
///
/// On Apple platforms:
/// - `URLSession` chooses the HTTP version, keeps the connections, and uses the system's proxy and certificate settings. Requests
///   without TLS and to loopback hosts use no proxy.
/// - The system can resend a GET, PUT or DELETE request, which are idempotent, if a reused connection is lost. It never resends
///   another request, such as a message.
/// - A body without `Content-Type` is sent as `application/octet-stream`.
public struct HubHTTPTransport: HubTransport {
    /// The largest number of requests in flight, each on its own connection; on Apple platforms, of connections per host.
    public let maximumConnections: Int
    /// The longest response body to read, in bytes.
    public let maximumResponseByteCount: Int

    #if canImport(Darwin)
    let client: URLSessionClient
    #else
    let client: CurlClient
    #endif

    /// Creates a transport with its own connections.
    ///
    /// - Parameters:
    ///   - maximumConnections: The largest number of requests in flight (on Apple platforms, of connections per host); at
    ///     least 1.
    ///   - maximumResponseByteCount: The longest response body to read, in bytes.
    ///   - certificateAuthorityFile: The path of a PEM file with certificate authorities to trust in addition to the
    ///     system's. On Apple platforms, it must be `nil`: add them to the keychain instead.
    /// - Throws: `HubTransportError` if libcurl is missing or too old, or if the file cannot be used.
    public init(
        maximumConnections: Int = 64, maximumResponseByteCount: Int = 4 << 20, certificateAuthorityFile: String? = nil
    ) throws(HubTransportError) {
        precondition(maximumConnections > 0, "maximumConnections must be positive")
        precondition(maximumResponseByteCount >= 0, "maximumResponseByteCount must not be negative")
        self.maximumConnections = maximumConnections
        self.maximumResponseByteCount = maximumResponseByteCount
        #if canImport(Darwin)
        guard certificateAuthorityFile == nil else {
            throw HubTransportError(
                "certificateAuthorityFile is not supported on Apple platforms: add the certificate to the keychain",
                delivery: .notSent)
        }
        client = URLSessionClient(
            maximumConnections: maximumConnections, maximumResponseByteCount: maximumResponseByteCount)
        #else
        client = try CurlClient(
            maximumConnections: maximumConnections, maximumResponseByteCount: maximumResponseByteCount,
            certificateAuthorityFile: certificateAuthorityFile)
        #endif
    }

    /// Sends a request and returns the response, regardless of its status.
    ///
    /// The delivery of an error is `.notSent` if no connection was made; on Linux, also if the connection was lost before
    /// libcurl had read the whole body. Otherwise it is `.unknown`. On Apple platforms, it is also `.unknown` if the system
    /// collected no metrics of the request.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - timeout: The longest time from the call to the last byte of the response, including the wait for a connection.
    /// - Throws: `HubTransportError`; `CancellationError` when the task is cancelled.
    public func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        try await client.send(request, timeout: timeout)
    }

    fileprivate static let shared = FirstSuccess { () throws(HubTransportError) in try HubHTTPTransport() }
}

extension HubTransport where Self == HubHTTPTransport {
    /// The HTTP transport with default settings, shared by the whole process.
    ///
    /// - Throws: `HubTransportError` on Linux, if libcurl is missing or too old.
    public static var http: HubHTTPTransport {
        get throws(HubTransportError) { try HubHTTPTransport.shared.get() }
    }
}

extension HubHTTPTransport: CustomStringConvertible, CustomReflectable {
    /// The type's name. Requests in flight, which contain tokens, are omitted.
    public var description: String { "HubHTTPTransport" }

    /// The settings. Requests in flight, which contain tokens, are omitted.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "maximumConnections": maximumConnections, "maximumResponseByteCount": maximumResponseByteCount,
            ])
    }
}
