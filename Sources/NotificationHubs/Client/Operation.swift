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

/// The path of an endpoint below the hub, with `{id}` in place of the argument.
package struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    /// The template itself, such as `/installations/{id}`.
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

    private static let placeholder = "{id}"

    /// The path with an argument, percent-encoded by the caller, in place of the placeholder.
    func path(_ argument: String?) -> String {
        precondition(
            segments.contains(Self.placeholder) == (argument != nil), "\(self) needs one argument per placeholder")
        return "/" + segments.map { $0 == Self.placeholder ? argument ?? "" : $0 }.joined(separator: "/")
    }

    /// The arguments of a path, percent-encoded; `nil` for a path of another endpoint.
    ///
    /// - Parameters:
    ///   - path: the path's segments below the hub.
    ///   - isEqual: compares a segment with a word of the template.
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
