import SharedAccessSignature

/// An operation of the service's REST API: a request and the interpretation of its response.
package struct Operation<Response>: Sendable {
    /// The name in events.
    let name: HubEvent.Operation
    let method: HubRequest.Method
    let template: PathTemplate
    /// The percent-encoded path below the hub or the namespace.
    let path: String
    /// The percent-encoded query items other than `api-version`.
    let query: [String]
    let headers: HubHeaders
    let body: [UInt8]
    /// Whether sending the request twice has the same effect as sending it once.
    let isIdempotent: Bool
    /// The status codes that indicate success.
    let successes: Set<Int>
    /// The additional status codes that indicate success if the service may have accepted an earlier attempt.
    let successesOnRetry: Set<Int>
    /// A closure that parses a successful response.
    let decode: @Sendable (HubResponse) throws -> Response

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - argument: The percent-encoded value of the path's placeholder.
    ///   - isIdempotent: Whether the operation is idempotent. The default is `true` except for POST.
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
    /// Performs an operation, with retries, until it succeeds, fails or reaches the deadline.
    package func perform<Response>(_ operation: Operation<Response>) async throws -> Response {
        var mayHaveBeenAccepted = false
        return try await perform(operation, &mayHaveBeenAccepted)
    }

    /// Performs an operation, with retries, until it succeeds, fails or reaches the deadline.
    ///
    /// - Parameter mayHaveBeenAccepted: Set to whether the service may have accepted the request, for a call that throws
    ///   `CancellationError`. Not meaningful for other outcomes.
    func perform<Response>(
        _ operation: Operation<Response>, _ mayHaveBeenAccepted: inout Bool
    ) async throws -> Response {
        try await connection.perform(operation, below: "/\(name.rawValue)", &mayHaveBeenAccepted)
    }
}

/// The parts of a client that its calls use.
struct HubConnection: Sendable {
    let endpoint: ServiceEndpoint
    let tokens: TokenFetch
    let transport: any HubTransport
    let options: NotificationHub.Options
    let time: CallTime

    /// Performs an operation, with retries, until it succeeds, fails or reaches the deadline.
    ///
    /// - Parameters:
    ///   - base: The percent-encoded path of the hub; an empty string for the namespace.
    ///   - mayHaveBeenAccepted: Set to whether the service may have accepted the request, for a call that throws
    ///     `CancellationError`. Not meaningful for other outcomes.
    func perform<Response>(
        _ operation: Operation<Response>, below base: String, _ mayHaveBeenAccepted: inout Bool
    ) async throws -> Response {
        let request = HubRequest(
            operation.method, endpoint: endpoint, path: base + operation.path,
            query: (["api-version=\(NotificationHub.apiVersion)"] + operation.query).joined(separator: "&"),
            headers: operation.headers, body: operation.body)
        let response = try await HubCall(
            transport: transport, options: options, time: time, tokens: tokens, request: request,
            operation: operation.name,
            pathTemplate: operation.template.description, isIdempotent: operation.isIdempotent,
            successes: operation.successes, successesOnRetry: operation.successesOnRetry
        ).run(&mayHaveBeenAccepted)
        return try operation.decode(response)
    }
}

/// The path of an endpoint below the hub or the namespace, with the placeholder `{id}`.
package struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    /// The template, such as `/installations/{id}`.
    package let description: String
    private let segments: [String]

    private init(_ text: String) {
        description = text
        segments = text.split(separator: "/").map(String.init)
    }

    package static let installation = PathTemplate("/installations/{id}")
    package static let messages = PathTemplate("/messages")
    package static let message = PathTemplate("/messages/{id}")
    package static let batch = PathTemplate("/messages/$batch")
    package static let scheduledNotifications = PathTemplate("/schedulednotifications")
    package static let scheduledNotification = PathTemplate("/schedulednotifications/{id}")
    package static let registrationIDs = PathTemplate("/registrationids")
    package static let registrations = PathTemplate("/registrations")
    package static let registration = PathTemplate("/registrations/{id}")
    package static let registrationsOfTag = PathTemplate("/tags/{id}/registrations")
    package static let jobs = PathTemplate("/jobs")
    package static let job = PathTemplate("/jobs/{id}")
    package static let feedbackContainer = PathTemplate("/feedbackcontainer")
    /// All hubs, below the namespace.
    package static let hubs = PathTemplate("/$Resources/NotificationHubs")
    /// A hub, below the namespace.
    package static let hub = PathTemplate("/{id}")

    private static let placeholder = "{id}"

    /// Returns the path with the placeholder replaced by a percent-encoded argument.
    func path(_ argument: String?) -> String {
        precondition(
            segments.contains(Self.placeholder) == (argument != nil), "\(self) requires one argument per placeholder")
        return "/" + segments.map { $0 == Self.placeholder ? argument ?? "" : $0 }.joined(separator: "/")
    }

    /// Returns the percent-encoded arguments of a path, or `nil` for the path of another endpoint.
    ///
    /// - Parameters:
    ///   - path: The segments of the path below the hub.
    ///   - isEqual: A closure that compares a segment with a word of the template.
    package func arguments(
        of path: [String], comparingBy isEqual: (_ segment: String, _ word: String) -> Bool
    ) -> [String]? {
        guard path.count == segments.count else { return nil }
        var arguments: [String] = []
        for (segment, word) in zip(path, segments) {
            if word == Self.placeholder {
                arguments.append(segment)
            } else if !isEqual(segment, word) {
                return nil
            }
        }
        return arguments
    }
}
