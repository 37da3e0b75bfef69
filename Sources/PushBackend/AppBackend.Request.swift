import HubText
public import NotificationHubs

extension AppBackend {
    /// An HTTP request from any server.
    ///
    /// Descriptions contain neither the body nor credentials.
    public struct Request: Sendable {
        /// The method, in upper case.
        public var method: String
        /// The path as received from the client, percent-encoded.
        public var path: String
        /// The query as received from the client, without the question mark; empty if absent.
        public var query: String
        /// The headers.
        public var headers: HubHeaders
        /// The body; empty if absent.
        public var body: [UInt8]
        /// Whether the body is longer than what the server read. Such a request gets the response 413.
        public var isBodyTruncated: Bool

        /// Creates a request.
        ///
        /// - Parameters:
        ///   - method: The method, in upper case.
        ///   - target: The path and query as in the request line, percent-encoded.
        ///   - headers: The headers.
        ///   - body: The body.
        ///   - isBodyTruncated: Whether the body is longer than ``Options/maximumBodyByteCount``, so that the server stopped
        ///     reading it.
        public init(
            method: String, target: String, headers: some Sequence<(name: String, value: String)> = HubHeaders(),
            body: some Sequence<UInt8> = EmptyCollection<UInt8>(), isBodyTruncated: Bool = false
        ) {
            let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            self.method = method
            path = parts[0]
            query = parts.count > 1 ? parts[1] : ""
            self.headers = HubHeaders(headers)
            self.body = Array(body)
            self.isBodyTruncated = isBodyTruncated
        }
    }

    /// An HTTP response for any server.
    ///
    /// Descriptions do not contain the body, which may be a payload.
    public struct Response: Sendable {
        /// The status code.
        public var status: Int
        /// The headers. The server must add `Content-Length`.
        public var headers: HubHeaders
        /// The body; empty if absent.
        public var body: [UInt8]

        init(status: Int, headers: HubHeaders = [:], json: JSONValue? = nil) {
            self.status = status
            self.headers = headers
            body = json?.bytes ?? []
            // Responses are specific to a user and must not be cached.
            self.headers["Cache-Control"] = "no-store"
            if json != nil {
                self.headers["Content-Type"] = "application/json; charset=utf-8"
                self.headers["X-Content-Type-Options"] = "nosniff"
            }
        }

        init(_ error: RequestError) {
            self.init(status: error.status, headers: error.headers, json: .object(["error": .string(error.message)]))
        }
    }
}

extension AppBackend.Request {
    /// The parsed query.
    func queryString() throws(RequestError) -> QueryString {
        let query = QueryString(query)
        guard query.isWellFormed else { throw RequestError(400, "the query must be percent-encoded UTF-8") }
        guard query.duplicateName == nil else { throw RequestError(400, "duplicate name in the query") }
        return query
    }
}

extension AppBackend.Request: CustomStringConvertible, CustomReflectable {
    /// The method and the path.
    public var description: String { "\(method) \(path)" }

    /// The method and the path.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "path": path]) }
}

extension AppBackend.Response: CustomStringConvertible, CustomReflectable {
    /// The status and the body's length.
    public var description: String { "\(status), \(body.count) bytes" }

    /// The status and the headers.
    public var customMirror: Mirror { Mirror(self, children: ["status": status, "headers": headers]) }
}
