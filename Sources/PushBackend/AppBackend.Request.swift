import HubText
public import NotificationHubs

extension AppBackend {
    /// A request, as any server has it.
    ///
    /// Printing it shows no body and no credentials.
    public struct Request: Sendable {
        /// The method, in upper case.
        public var method: String
        /// The path as the client wrote it, percent-encoded.
        public var path: String
        /// The query as the client wrote it, without its question mark; empty if there is none.
        public var query: String
        /// The headers.
        public var headers: HubHeaders
        /// The body; empty if there is none.
        public var body: [UInt8]
        /// Whether the body is longer than what the server has read. Such a request gets the response 413.
        public var isBodyTruncated: Bool

        /// Creates a request.
        ///
        /// - Parameters:
        ///   - method: The method, in upper case.
        ///   - target: Path and query as they are in the request line, percent-encoded.
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

    /// A response, for any server to write.
    ///
    /// Printing it shows no body, which may be a payload.
    public struct Response: Sendable {
        /// The status code.
        public var status: Int
        /// The headers; the body's length is the server's to say.
        public var headers: HubHeaders
        /// The body; empty if there is none.
        public var body: [UInt8]

        init(status: Int, headers: HubHeaders = [:], json: JSONValue? = nil) {
            self.status = status
            self.headers = headers
            body = json?.bytes ?? []
            // What a user gets is no other's, nor anybody's later on.
            self.headers["Cache-Control"] = "no-store"
            if json != nil {
                self.headers["Content-Type"] = "application/json; charset=utf-8"
                self.headers["X-Content-Type-Options"] = "nosniff"
            }
        }

        init(_ refusal: Refusal) {
            self.init(status: refusal.status, headers: refusal.headers, json: .object(["error": .string(refusal.text)]))
        }
    }
}

extension AppBackend.Request {
    /// The parsed query.
    func queryString() throws(Refusal) -> QueryString {
        let query = QueryString(query)
        guard query.isWellFormed else { throw Refusal(400, "the query must be percent-encoded UTF-8") }
        guard query.duplicateName == nil else { throw Refusal(400, "a name appears twice in the query") }
        return query
    }
}

extension AppBackend.Request: CustomStringConvertible, CustomReflectable {
    /// Method and path.
    public var description: String { "\(method) \(path)" }

    /// Method and path.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "path": path]) }
}

extension AppBackend.Response: CustomStringConvertible, CustomReflectable {
    /// The status, and how long the body is.
    public var description: String { "\(status), \(body.count) bytes" }

    /// The status and the headers.
    public var customMirror: Mirror { Mirror(self, children: ["status": status, "headers": headers]) }
}
