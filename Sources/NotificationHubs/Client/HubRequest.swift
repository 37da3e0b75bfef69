import HubText
public import SharedAccessSignature

/// A request to the service, as passed to a transport.
public struct HubRequest: Sendable {
    /// An HTTP method.
    public struct Method: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The method's name in upper case.
        public let rawValue: String

        /// Creates a method from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The `GET` method.
        public static let get = Method(rawValue: "GET")
        /// The `PUT` method.
        public static let put = Method(rawValue: "PUT")
        /// The `POST` method.
        public static let post = Method(rawValue: "POST")
        /// The `PATCH` method.
        public static let patch = Method(rawValue: "PATCH")
        /// The `DELETE` method.
        public static let delete = Method(rawValue: "DELETE")

        /// The method's name.
        public var description: String { rawValue }

        /// Returns the method with a name, or `nil` if the service does not use it.
        package static func known(_ name: some StringProtocol) -> Method? {
            [get, put, post, patch, delete].first { $0.rawValue == name }
        }
    }

    /// The method.
    public var method: Method
    /// The scheme, host and port.
    public var endpoint: ServiceEndpoint
    /// The percent-encoded path, with a leading slash.
    public var path: String
    /// The percent-encoded query without its question mark, or an empty string.
    public var query: String
    /// The headers, including `Authorization`.
    public var headers: HubHeaders
    /// The body, or an empty array.
    public var body: [UInt8]

    /// Creates a request.
    public init(
        _ method: Method, endpoint: ServiceEndpoint, path: String, query: String = "", headers: HubHeaders = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        self.endpoint = endpoint
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The complete URL.
    public var url: String {
        "\(endpoint)\(path)" + (query.isEmpty ? "" : "?\(query)")
    }

    /// Whether the request can pass through a proxy: only with TLS, so that the proxy cannot read the token, and never to this machine.
    package var allowsProxy: Bool { !endpoint.isDevelopmentEmulator && !endpoint.isLoopback }
}

extension HubRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL. In the query, a blob's signature (`sig`) and a device's handle (`$filter`, `handle`) are redacted.
    public var description: String {
        "\(method.rawValue) \(endpoint)\(path)" + (query.isEmpty ? "" : "?\(redactedQuery)")
    }

    /// All properties, with secrets redacted and the body replaced by its size.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "endpoint": endpoint, "path": path, "query": redactedQuery, "headers": headers,
                "bodyByteCount": body.count,
            ])
    }

    private var redactedQuery: String {
        query.split(separator: "&", omittingEmptySubsequences: false)
            .map { part in
                let name = part.prefix { $0 != "=" }
                let isSecret = ["sig", "$filter", "handle"].contains(String(percentDecoding: name).lowercased())
                return isSecret ? "\(name)=(redacted)" : String(part)
            }
            .joined(separator: "&")
    }
}

/// The service's response, as a transport returns it.
public struct HubResponse: Sendable {
    /// The status code, 100 to 599.
    public var status: Int
    /// The headers.
    public var headers: HubHeaders
    /// The body, or an empty array.
    public var body: [UInt8]

    /// Creates a response.
    public init(status: Int, headers: HubHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The body without a byte order mark, which a JSON parser must not accept but may skip (RFC 8259 §8.1).
    var bodyWithoutByteOrderMark: [UInt8] {
        body.starts(with: [0xef, 0xbb, 0xbf]) ? Array(body.dropFirst(3)) : body
    }

    /// The service's ID of the request, without control characters.
    var trackingID: String? { headers["TrackingId"].map(HubError.singleLine) }

    /// The service's ID of a group of related requests, without control characters.
    var correlationID: String? { headers["x-ms-correlation-request-id"].map(HubError.singleLine) }
}

extension HubResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the body's size. The body is omitted because it can contain device handles.
    public var description: String { "\(status) (\(body.count) bytes)" }

    /// The status, the headers and the body's size.
    public var customMirror: Mirror {
        Mirror(self, children: ["status": status, "headers": headers, "bodyByteCount": body.count])
    }
}
