public import SharedAccessSignature

/// A request to the service, as a transport gets it.
public struct HubRequest: Sendable {
    /// An HTTP method.
    public struct Method: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The method's name, in upper case.
        public let rawValue: String

        /// Creates a method from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Reads.
        public static let get = Method(rawValue: "GET")
        /// Creates or replaces.
        public static let put = Method(rawValue: "PUT")
        /// Sends.
        public static let post = Method(rawValue: "POST")
        /// Changes parts.
        public static let patch = Method(rawValue: "PATCH")
        /// Deletes.
        public static let delete = Method(rawValue: "DELETE")

        /// The method's name.
        public var description: String { rawValue }

        /// The method of the service with a name, or `nil`.
        package static func known(_ name: some StringProtocol) -> Method? {
            [get, put, post, patch, delete].first { $0.rawValue == name }
        }
    }

    /// The method.
    public var method: Method
    /// Scheme, host and port.
    public var endpoint: ServiceEndpoint
    /// The path, percent-encoded, with its leading slash.
    public var path: String
    /// The query, percent-encoded, without its question mark; empty if there is none.
    public var query: String
    /// The headers, `Authorization` among them.
    public var headers: HubHeaders
    /// The body; empty if there is none.
    public var body: [UInt8]

    /// Puts a request together.
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

    /// The URL as a whole.
    public var url: String {
        "\(endpoint)\(path)" + (query.isEmpty ? "" : "?\(query)")
    }
}

extension HubRequest: CustomStringConvertible, CustomReflectable {
    /// Method and URL; of the query neither the signature that opens a blob (`sig`) nor a device's handle (`$filter`).
    public var description: String { "\(method.rawValue) \(endpoint)\(path)" + (query.isEmpty ? "" : "?\(shownQuery)") }

    /// All parts, of the query as in the description; of the body its size.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": method, "endpoint": endpoint, "path": path, "query": shownQuery, "headers": headers,
                "bodyByteCount": body.count,
            ])
    }

    private var shownQuery: String {
        query.split(separator: "&", omittingEmptySubsequences: false)
            .map { part in
                let secret = ["sig=", "$filter="].first { part.lowercased().hasPrefix($0) }
                return secret.map { "\($0)(redacted)" } ?? String(part)
            }
            .joined(separator: "&")
    }
}

/// The service's response, as a transport returns it.
public struct HubResponse: Sendable {
    /// The status code, from 100 to 599.
    public var status: Int
    /// The headers.
    public var headers: HubHeaders
    /// The body; empty if there is none.
    public var body: [UInt8]

    /// Puts a response together.
    public init(status: Int, headers: HubHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The service's id for the request, fit for a log.
    var trackingID: String? { headers["TrackingId"].map(HubError.singleLine) }

    /// The service's id for what the request belongs to, fit for a log.
    var correlationID: String? { headers["x-ms-correlation-request-id"].map(HubError.singleLine) }
}

extension HubResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the body's size; not the body, which may have devices' handles in it.
    public var description: String { "\(status) (\(body.count) bytes)" }

    /// Status and headers, and of the body its size.
    public var customMirror: Mirror {
        Mirror(self, children: ["status": status, "headers": headers, "bodyByteCount": body.count])
    }
}
