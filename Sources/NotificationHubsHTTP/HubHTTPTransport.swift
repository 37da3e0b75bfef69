public import NotificationHubs

/// An HTTP transport: libcurl on Linux, `URLSession` on Apple platforms.
///
/// ```swift
/// let hub = try NotificationHub(connectionString: text, hubName: "push", transport: .http)
/// ```
///
/// Each request goes out once per ``send(_:timeout:)``. The transport follows no redirect, answers no authentication
/// challenge, and stores neither cookies nor responses. It speaks HTTP/1.1 over TLS 1.2 or later, verifies certificate and
/// host, and uses the proxy that the environment names (`http_proxy`, `https_proxy`, `no_proxy`). Headers of a request go to
/// the request's endpoint only; a proxy sees those of a plain HTTP request.
///
/// Connections are kept open and reused: for up to 50 seconds without a request, and 5 minutes in all. Requests beyond
/// ``maximumConnections`` wait and start in the order of their calls.
///
/// Copies share connections. A request in flight keeps the connections open; they close when the last copy is gone and the
/// last request has ended.
///
/// On Linux the transport loads libcurl 7.68 or later (`libcurl.so.4`, of the package `libcurl4` or `libcurl`) at run time and
/// runs one thread. `SSL_CERT_FILE` names the certificate authorities to trust instead of the system's.
public struct HubHTTPTransport: HubTransport {
    /// The largest number of requests in flight, each on a connection of its own.
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
    /// - Throws: `HubTransportError` if libcurl is missing or too old, or if the file has no certificate.
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
    /// The error is `.notSent` if no connection was made, or if the connection was lost before the whole request was handed
    /// over to the system; otherwise it is `.unknown`.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - timeout: The longest time from the call to the last byte of the response, the wait for a connection included.
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
    /// The type's name. Requests in flight, which hold tokens, are not shown.
    public var description: String { "HubHTTPTransport" }

    /// The settings. Requests in flight, which hold tokens, are not shown.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "maximumConnections": maximumConnections, "maximumResponseByteCount": maximumResponseByteCount,
            ])
    }
}
