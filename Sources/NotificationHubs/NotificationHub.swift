public import SharedAccessSignature

/// A client of one notification hub.
///
/// ```swift
/// let hub = try NotificationHub(connectionString: text, hubName: "push", transport: .http)
/// ```
///
/// Make one when the program starts, and keep it: copies share its token and its transport's connections, and any number
/// of tasks may use it at once. It needs no closing.
public struct NotificationHub: Sendable {
    /// The hub's name.
    public let name: Name
    /// Where the hub's namespace answers.
    public let endpoint: ServiceEndpoint

    private let tokens: any SASTokenSource
    /// What tokens are asked for.
    private let resource: String
    private let transport: any HubTransport
    private let options: Options
    private let time: CallTime

    /// The version of the service's interface that is spoken.
    static let apiVersion = "2020-06"
    static let userAgent = "swift-notification-hubs"

    /// A client from what the portal shows.
    ///
    /// - Parameters:
    ///   - connectionString: a connection string of the hub's access policies.
    ///   - hubName: the hub's name.
    ///   - transport: what carries the requests.
    ///   - options: how it calls: deadlines, retries, an observer.
    /// - Throws: `ConnectionString.ParseError`, ``NotificationHub/InvalidName``.
    public init(
        connectionString: String, hubName: String, transport: some HubTransport, options: Options = Options()
    ) throws {
        try self.init(
            connection: try ConnectionString(connectionString), hubName: hubName, transport: transport,
            options: options)
    }

    /// A client from a connection string that has been read already.
    ///
    /// - Parameters:
    ///   - connection: a connection string of the hub's access policies.
    ///   - hubName: the hub's name.
    ///   - transport: what carries the requests.
    ///   - options: how it calls: deadlines, retries, an observer.
    /// - Throws: ``NotificationHub/InvalidName``.
    public init(
        connection: ConnectionString, hubName: String, transport: some HubTransport, options: Options = Options()
    ) throws {
        let name = try Name(validating: hubName)
        if let entityPath = connection.entityPath, !name.isSame(as: entityPath) {
            throw InvalidName(description: "the connection string's EntityPath is another hub than \(name)")
        }
        let tokens: any SASTokenSource =
            switch connection.credential {
            case .key(let key): SASSigningSource(key: key)
            case .token(let token): SASFetchingSource { _ in token }
            }
        try self.init(
            endpoint: connection.endpoint, name: name, tokens: tokens, transport: transport, options: options)
    }

    /// A client from the four settings that Azure's Swift tutorial has.
    ///
    /// - Parameters:
    ///   - namespace: the namespace's name, the first part of its host.
    ///   - hubName: the hub's name.
    ///   - keyName: the access policy's name, such as `DefaultFullSharedAccessSignature`.
    ///   - key: the access policy's key.
    ///   - transport: what carries the requests.
    ///   - options: how it calls: deadlines, retries, an observer.
    /// - Throws: `ServiceEndpoint.Invalid`, ``NotificationHub/InvalidName``.
    public init(
        namespace: String, hubName: String, keyName: String, key: String, transport: some HubTransport,
        options: Options = Options()
    ) throws {
        try self.init(
            endpoint: try ServiceEndpoint(namespace: namespace), name: try Name(validating: hubName),
            tokens: SASSigningSource(key: SharedAccessKey(name: keyName, secret: key)), transport: transport,
            options: options)
    }

    /// A client that gets its tokens from a source: of two keys, or without any.
    ///
    /// - Parameters:
    ///   - endpoint: where the hub's namespace answers.
    ///   - hubName: the hub's name.
    ///   - tokens: where tokens come from.
    ///   - transport: what carries the requests.
    ///   - options: how it calls: deadlines, retries, an observer.
    /// - Throws: ``NotificationHub/InvalidName``.
    public init(
        endpoint: ServiceEndpoint, hubName: String, tokens: any SASTokenSource, transport: some HubTransport,
        options: Options = Options()
    ) throws {
        try self.init(
            endpoint: endpoint, name: try Name(validating: hubName), tokens: tokens, transport: transport,
            options: options)
    }

    package init(
        endpoint: ServiceEndpoint, name: Name, tokens: any SASTokenSource, transport: some HubTransport,
        options: Options, time: CallTime = .system
    ) throws {
        self.name = name
        self.endpoint = endpoint
        self.transport = transport
        self.options = options
        self.time = time
        self.tokens = tokens
        resource = try endpoint.resource(ofHub: name.text)
    }

    /// Sends a signed request, and checks the response's status.
    ///
    /// - Parameters:
    ///   - path: the path's segments below the hub.
    ///   - flag: what the query has besides the interface's version.
    ///   - isIdempotent: whether sending it twice does no more than sending it once; `nil` for what the method says.
    ///   - accepted: the statuses that mean success.
    ///   - acceptedAgain: those that do besides when an attempt before may have been carried out.
    package func send(
        _ method: HubRequest.Method, _ path: String..., flag: String? = nil, headers: HubHeaders = [:],
        body: [UInt8] = [], isIdempotent: Bool? = nil, accepting accepted: Set<Int>,
        acceptingAgain acceptedAgain: Set<Int> = []
    ) async throws -> HubResponse {
        try await call(
            method, path, flag: flag, headers: headers, body: body, isIdempotent: isIdempotent, accepting: accepted,
            acceptingAgain: acceptedAgain
        ).run()
    }

    /// What ``send(_:_:flag:headers:body:isIdempotent:accepting:acceptingAgain:)`` runs.
    func call(
        _ method: HubRequest.Method, _ path: [String], flag: String? = nil, headers: HubHeaders = [:],
        body: [UInt8] = [], isIdempotent: Bool? = nil, accepting accepted: Set<Int>,
        acceptingAgain acceptedAgain: Set<Int> = []
    ) -> HubCall {
        var request = HubRequest(
            method, endpoint: endpoint, path: "/" + ([name.text] + path).joined(separator: "/"),
            query: "api-version=\(Self.apiVersion)" + (flag.map { "&\($0)" } ?? ""), headers: headers,
            body: body)
        request.headers["User-Agent"] = Self.userAgent
        return HubCall(
            transport: transport, tokens: tokens, resource: resource, options: options, time: time, request: request,
            pathTemplate: "/" + path.map { Self.words.contains($0) ? $0 : "{id}" }.joined(separator: "/"),
            isIdempotent: isIdempotent ?? (method != .post), accepted: accepted, acceptedAgain: acceptedAgain)
    }

    /// A call of anything but the hub, without its token.
    func anonymousCall(
        _ request: HubRequest, pathTemplate: String, accepting accepted: Set<Int>
    ) -> HubCall {
        HubCall(
            transport: transport, tokens: nil, resource: resource, options: options, time: time, request: request,
            pathTemplate: pathTemplate, isIdempotent: true, accepted: accepted, acceptedAgain: [])
    }

    /// The words of the service's paths; whatever else stands in one is an id.
    private static let words: Set = [
        "installations", "messages", "$batch", "schedulednotifications", "registrations", "registrationids", "tags",
        "jobs", "feedbackcontainer",
    ]
}

extension NotificationHub: CustomStringConvertible, CustomReflectable {
    /// Where the hub is; not the key.
    public var description: String { "NotificationHub(\(endpoint)/\(name))" }

    /// Name and endpoint; not the key, nor the transport, whose inner life has the requests under way.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "endpoint": endpoint]) }
}
