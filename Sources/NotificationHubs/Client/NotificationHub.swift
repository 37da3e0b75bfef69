import HubText
public import SharedAccessSignature

/// A client of one notification hub.
///
/// ```swift
/// let hub = try NotificationHub(connectionString: text, hubName: "push", transport: .http)
/// ```
///
/// Create one client when the program starts and reuse it. Copies share the cached token and the transport's connections,
/// and any number of tasks can use a client concurrently. A client does not need to be closed.
public struct NotificationHub: Sendable {
    /// The endpoint of the hub's namespace.
    public let endpoint: ServiceEndpoint
    /// The hub's name.
    public let name: Name
    let connection: HubConnection

    /// The version of the service's REST API.
    package static let apiVersion = "2020-06"
    static let userAgent = "swift-notification-hubs"

    /// Creates a client from a connection string.
    ///
    /// - Parameters:
    ///   - connectionString: The connection string of one of the hub's access policies.
    ///   - hubName: The hub's name. It can be omitted if the connection string has an `EntityPath`.
    ///   - transport: The HTTP client.
    ///   - options: Deadlines, retries and an observer.
    /// - Throws: `ConnectionStringError`.
    public init(
        connectionString: String, hubName: String? = nil, transport: some HubTransport, options: Options = Options()
    ) throws(ConnectionStringError) {
        try self.init(
            connection: try ConnectionString(connectionString), hubName: hubName, transport: transport,
            options: options)
    }

    /// Creates a client from a parsed connection string.
    ///
    /// - Parameters:
    ///   - connection: The connection string of one of the hub's access policies.
    ///   - hubName: The hub's name. It can be omitted if the connection string has an `EntityPath`.
    ///   - transport: The HTTP client.
    ///   - options: Deadlines, retries and an observer.
    /// - Throws: `ConnectionStringError` for an invalid or missing hub name.
    public init(
        connection: ConnectionString, hubName: String? = nil, transport: some HubTransport,
        options: Options = Options()
    ) throws(ConnectionStringError) {
        guard let text = hubName ?? connection.entityPath else {
            throw ConnectionStringError(
                .invalidHubName, "missing hub name: pass hubName, or add EntityPath to the connection string")
        }
        let name = try Self.name(text)
        if let entityPath = connection.entityPath, !name.isSame(as: entityPath) {
            throw ConnectionStringError(
                .invalidHubName, "the connection string's EntityPath does not match hub name \(name)")
        }
        try self.init(
            endpoint: connection.endpoint, name: name, tokens: connection.tokens, transport: transport,
            options: options)
    }

    /// Creates a client from the four settings of Azure's Swift tutorial.
    ///
    /// - Parameters:
    ///   - namespace: The namespace's name, such as `contoso` for the host `contoso.servicebus.windows.net`.
    ///   - hubName: The hub's name.
    ///   - keyName: The access policy's name, such as `DefaultFullSharedAccessSignature`.
    ///   - key: The access policy's key.
    ///   - transport: The HTTP client.
    ///   - options: Deadlines, retries and an observer.
    /// - Throws: `ConnectionStringError`.
    public init(
        namespace: String, hubName: String, keyName: String, key: String, transport: some HubTransport,
        options: Options = Options()
    ) throws(ConnectionStringError) {
        if SharedAccessKey.isProbablyKey(keyName) {
            throw ConnectionStringError(.invalidField, "invalid keyName: \(SharedAccessKey.swapped)", field: "keyName")
        }
        try self.init(
            endpoint: try ServiceEndpoint(namespace: namespace), name: try Self.name(hubName),
            tokens: SASSigningSource(key: SharedAccessKey(name: keyName, secret: key)), transport: transport,
            options: options)
    }

    /// Creates a client with a token source, such as one that uses two keys or a token service.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint of the hub's namespace.
    ///   - hubName: The hub's name.
    ///   - tokens: The source of tokens.
    ///   - transport: The HTTP client.
    ///   - options: Deadlines, retries and an observer.
    /// - Throws: `ConnectionStringError` for an invalid or missing hub name.
    public init(
        endpoint: ServiceEndpoint, hubName: String, tokens: some SASTokenSource, transport: some HubTransport,
        options: Options = Options()
    ) throws(ConnectionStringError) {
        try self.init(
            endpoint: endpoint, name: try Self.name(hubName), tokens: tokens, transport: transport,
            options: options)
    }

    private static func name(_ text: String) throws(ConnectionStringError) -> Name {
        do {
            return try Name(validating: text)
        } catch {
            throw ConnectionStringError(.invalidHubName, error.description, offset: error.offset)
        }
    }

    package init(
        endpoint: ServiceEndpoint, name: Name, tokens: some SASTokenSource, transport: some HubTransport,
        options: Options, time: CallTime = .system
    ) throws(ConnectionStringError) {
        (self.endpoint, self.name) = (endpoint, name)
        connection = HubConnection(
            transport: transport, options: options, time: time,
            tokens: TokenFetch(tokens, resource: try endpoint.hubResource(named: name.rawValue)))
    }
}

extension ConnectionString {
    /// A source of tokens with the connection string's credential.
    var tokens: any SASTokenSource {
        switch credential {
        case .key(let key): SASSigningSource(key: key)
        case .token(let token): SASFetchingSource { _ in token }
        }
    }
}

extension NotificationHub: CustomStringConvertible, CustomReflectable {
    /// The hub's endpoint and name, without the key.
    public var description: String { "NotificationHub(\(endpoint)/\(name))" }

    /// The name and the endpoint. The key is omitted, and so is the transport, because it can reference requests in flight.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "endpoint": endpoint]) }
}

extension NotificationHub {
    /// The options of a client.
    public struct Options: Sendable {
        /// The retry policy.
        public var retry: RetryPolicy
        /// The time limit of a call, including token requests, attempts and the delays between them.
        public var deadline: Duration
        /// The time limit of one attempt.
        public var attemptTimeout: Duration
        /// Whether sending throws ``HubValidationError`` for a notification that its platform would refuse, or that no device would
        /// show, as ``PushNotification/problems`` says.
        ///
        /// Use typed payloads for what your code writes, and this option for bodies that come from elsewhere. By default, sending
        /// does not check: the hub and the platform decide, whose rules can change before this package does.
        public var checksNotifications: Bool
        /// A closure that receives the events of each call. It runs on the calling task and should return quickly.
        public var observer: (@Sendable (HubEvent) -> Void)?

        /// Creates options. The defaults allow 60 seconds per call, 15 seconds per attempt and four attempts.
        public init(
            retry: RetryPolicy = RetryPolicy(), deadline: Duration = .seconds(60),
            attemptTimeout: Duration = .seconds(15), checksNotifications: Bool = false,
            observer: (@Sendable (HubEvent) -> Void)? = nil
        ) {
            precondition(deadline > .zero && attemptTimeout > .zero, "deadline and attemptTimeout must be positive")
            self.retry = retry
            self.deadline = deadline
            self.attemptTimeout = attemptTimeout
            self.checksNotifications = checksNotifications
            self.observer = observer
        }
    }
}

extension NotificationHub {
    /// A hub's name: 1 to 260 ASCII letters, digits and `. - _`.
    public struct Name: _HubCheckedText, ExpressibleByStringLiteral {
        /// The name.
        public let rawValue: String

        /// Creates a name from a string.
        ///
        /// - Throws: ``HubValidationError`` if the string is empty or too long, contains an invalid character, or consists
        ///   only of periods.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            if let problem = HubName.problem(in: rawValue) {
                throw HubValidationError(.invalidHubName, problem.reason, offset: problem.offset)
            }
        }

        /// Returns whether a string is the hub's name. The service ignores case.
        package func isSame(as other: String) -> Bool {
            rawValue.utf8.isEqual(ignoringCase: other)
        }
    }
}
