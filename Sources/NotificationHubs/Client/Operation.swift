import SharedAccessSignature

/// An operation of the service's REST API: a request and the interpretation of its response.
package struct Operation<Response>: Sendable {
    let method: HubRequest.Method
    /// The percent-encoded path below the hub or the namespace.
    let path: String
    /// The percent-encoded query items other than `api-version`.
    let query: [String]
    let headers: HubHeaders
    let body: [UInt8]
    let rules: HubCall.Rules
    /// A closure that parses a successful response.
    let decode: @Sendable (HubResponse) throws -> Response

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - name: The name in events.
    ///   - argument: The percent-encoded value of the path's placeholder.
    ///   - isIdempotent: Whether the operation is idempotent. The default is `true` except for POST.
    init(
        _ name: HubEvent.OperationName, _ method: HubRequest.Method, _ path: PathTemplate, _ argument: String? = nil,
        query: [String?] = [], headers: HubHeaders = [:], body: [UInt8] = [], isIdempotent: Bool? = nil,
        successes: Set<Int> = [200], successesOnRetry: Set<Int> = [],
        decode: @escaping @Sendable (HubResponse) throws -> Response
    ) {
        self.method = method
        self.path = path.path(argument)
        self.query = query.compactMap(\.self)
        self.headers = headers
        self.body = body
        rules = HubCall.Rules(
            operation: name, pathTemplate: path.description, isIdempotent: isIdempotent ?? (method != .post),
            successes: successes, successesOnRetry: successesOnRetry)
        self.decode = decode
    }

    /// Performs the operation, with retries, until it succeeds, fails or reaches the deadline.
    ///
    /// - Parameter base: The percent-encoded path of the hub; an empty string for the namespace.
    func perform(
        at endpoint: ServiceEndpoint, below base: String, by connection: HubConnection
    ) async throws(CallFailure) -> Response {
        let request = HubRequest(
            method, endpoint: endpoint, path: base + path,
            query: (["api-version=\(NotificationHub.apiVersion)"] + query).joined(separator: "&"), headers: headers,
            body: body)
        let response = try await HubCall(connection, request, rules).run()
        do {
            return try decode(response)
        } catch {
            throw .hub(error as? HubError ?? HubError(unreadable: response, "the response cannot be read"))
        }
    }
}

extension NotificationHub {
    /// Performs an operation, with retries, until it succeeds, fails or reaches the deadline.
    package func perform<Response>(_ operation: Operation<Response>) async throws -> Response {
        do {
            return try await result(of: operation)
        } catch {
            throw error.publicError
        }
    }

    /// Performs an operation. The error tells whether the service may have accepted a cancelled call.
    func result<Response>(of operation: Operation<Response>) async throws(CallFailure) -> Response {
        try await operation.perform(at: endpoint, below: "/\(name.rawValue)", by: connection)
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
