public import NotificationHubs

/// An HTTP transport: libcurl on Linux, `URLSession` on Apple platforms.
///
/// ```swift
/// let hub = try NotificationHub(connectionString: text, hubName: "push", transport: .http)
/// ```
///
/// ``send(_:timeout:)`` sends a request at most once. The transport does not follow redirects, does not answer authentication
/// challenges, and does not store cookies or responses. It uses HTTP/1.1 over TLS 1.2 or later and verifies the certificate and
/// host name. It uses the proxy in the environment variables `http_proxy`, `https_proxy` and `no_proxy`. A proxy sees the
/// headers of plain HTTP requests only.
///
/// Idle connections are reused for up to 50 seconds, and any connection for up to 5 minutes. Requests beyond
/// ``maximumConnections`` wait and start in the order of their calls.
///
/// Copies share connections. The connections close when the last copy is released and the last request has ended.
///
/// On Linux, the transport loads libcurl 7.68 or later at run time (`libcurl.so.4` from the package `libcurl4` or `libcurl`)
/// and runs one thread. `SSL_CERT_FILE` names a file of certificate authorities to trust instead of the system's.
public struct HubHTTPTransport: HubTransport {
    /// The largest number of requests in flight. Each uses its own connection.
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
    ///   - maximumConnections: The largest number of requests in flight; at least 1.
    ///   - maximumResponseByteCount: The longest response body to read, in bytes.
    ///   - certificateAuthorityFile: The path of a PEM file with certificate authorities to trust in addition to the
    ///     system's. On Apple platforms, add them to the keychain instead.
    /// - Throws: `HubTransportError` if libcurl is missing or too old, or if the file contains no certificate.
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

    /// Sends a request once and returns the response, whatever its status.
    ///
    /// The delivery of an error is `.notSent` if no connection was made, or if the connection was lost before the system
    /// received the whole request; otherwise it is `.unknown`.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - timeout: The longest time from the call to the last byte of the response, including the wait for a connection.
    /// - Throws: `HubTransportError`; `CancellationError` if the task is cancelled.
    public func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        try await client.send(request, timeout: timeout)
    }

    fileprivate static let shared = Result { () throws(HubTransportError) in try HubHTTPTransport() }
}

extension HubTransport where Self == HubHTTPTransport {
    /// The HTTP transport with default settings, shared by the whole process.
    ///
    /// - Throws: `HubTransportError` if libcurl is missing or too old.
    public static var http: HubHTTPTransport {
        get throws(HubTransportError) { try HubHTTPTransport.shared.get() }
    }
}

extension HubHTTPTransport: CustomStringConvertible, CustomReflectable {
    /// The type's name. Requests in flight, which contain tokens, are redacted.
    public var description: String { "HubHTTPTransport" }

    /// The settings. Requests in flight, which contain tokens, are redacted.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "maximumConnections": maximumConnections, "maximumResponseByteCount": maximumResponseByteCount,
            ])
    }
}
