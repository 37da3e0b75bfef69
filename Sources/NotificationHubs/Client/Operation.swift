/// A request of the service's REST interface, and what its response means: one value per endpoint and method.
package struct Operation<Response>: Sendable {
    /// The name that events report.
    let name: HubEvent.Operation
    let method: HubRequest.Method
    let template: PathTemplate
    /// The path below the hub, percent-encoded.
    let path: String
    /// The query besides `api-version`, percent-encoded.
    let query: [String]
    let headers: HubHeaders
    let body: [UInt8]
    /// Whether sending the request twice has the same effect as sending it once.
    let isIdempotent: Bool
    /// The statuses of success.
    let successes: Set<Int>
    /// The statuses of success after an attempt that may have been carried out.
    let successesOnRetry: Set<Int>
    /// Reads a successful response.
    let decode: @Sendable (HubResponse) throws -> Response

    /// - Parameters:
    ///   - argument: the value of the path's placeholder, percent-encoded.
    ///   - isIdempotent: by default, whether the method is not POST.
    init(
        _ name: HubEvent.Operation, _ method: HubRequest.Method, _ path: PathTemplate, _ argument: String? = nil,
        query: [String?] = [], headers: HubHeaders = [:], body: [UInt8] = [], isIdempotent: Bool? = nil,
        successes: Set<Int> = [200], successesOnRetry: Set<Int> = [],
        decode: @escaping @Sendable (HubResponse) throws -> Response
    ) {
        self.name = name
        self.method = method
        self.path = path.path(argument)
        self.template = path
        self.query = query.compactMap(\.self)
        self.headers = headers
        self.body = body
        self.isIdempotent = isIdempotent ?? (method != .post)
        self.successes = successes
        self.successesOnRetry = successesOnRetry
        self.decode = decode
    }
}

extension NotificationHub {
    /// Sends an operation's request until it succeeds, fails for good or the deadline passes, and reads the response.
    package func perform<Response>(_ operation: Operation<Response>) async throws -> Response {
        var mayHaveBeenAccepted = false
        return try await perform(operation, &mayHaveBeenAccepted)
    }

    /// Sends an operation's request until it succeeds, fails for good or the deadline passes, and reads the response.
    ///
    /// - Parameter mayHaveBeenAccepted: whether the service may have accepted the request, also if the task is cancelled.
    func perform<Response>(
        _ operation: Operation<Response>, _ mayHaveBeenAccepted: inout Bool
    ) async throws -> Response {
        let request = HubRequest(
            operation.method, endpoint: endpoint, path: "/\(name.rawValue)\(operation.path)",
            query: (["api-version=\(Self.apiVersion)"] + operation.query).joined(separator: "&"),
            headers: operation.headers, body: operation.body)
        let response = try await HubCall(
            client: self, tokens: tokens, request: request, operation: operation.name,
            pathTemplate: operation.template.description, isIdempotent: operation.isIdempotent,
            successes: operation.successes, successesOnRetry: operation.successesOnRetry
        ).run(&mayHaveBeenAccepted)
        return try operation.decode(response)
    }
}
