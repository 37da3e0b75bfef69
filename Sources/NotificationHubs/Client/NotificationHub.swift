import HubText
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

    let tokens: TokenFetch
    let transport: any HubTransport
    let options: Options
    let time: CallTime

    /// The version of the service's interface that is spoken.
    static let apiVersion = "2020-06"
    static let userAgent = "swift-notification-hubs"

    /// A client from what the portal shows.
    ///
    /// - Parameters:
    ///   - connectionString: A connection string of the hub's access policies.
    ///   - hubName: The hub's name. It can be omitted if the connection string has an `EntityPath`.
    ///   - transport: what carries the requests.
    ///   - options: how it calls: deadlines, retries, an observer.
    /// - Throws: `ConnectionStringError`, ``HubValidationError``.
    public init(
        connectionString: String, hubName: String? = nil, transport: some HubTransport, options: Options = Options()
    ) throws {
        try self.init(
            connection: try ConnectionString(connectionString), hubName: hubName, transport: transport,
            options: options)
    }

    /// A client from a connection string that has been read already.
    ///
    /// - Parameters:
    ///   - connection: A connection string of the hub's access policies.
    ///   - hubName: The hub's name. It can be omitted if the connection string has an `EntityPath`.
    ///   - transport: what carries the requests.
    ///   - options: how it calls: deadlines, retries, an observer.
    /// - Throws: ``HubValidationError``.
    public init(
        connection: ConnectionString, hubName: String? = nil, transport: some HubTransport,
        options: Options = Options()
    ) throws {
        guard let text = hubName ?? connection.entityPath else {
            throw HubValidationError(
                .invalidHubName, "missing hub name: pass hubName, or add EntityPath to the connection string")
        }
        let name = try Name(validating: text)
        if let entityPath = connection.entityPath, !name.isSame(as: entityPath) {
            throw HubValidationError(
                .invalidHubName, "the connection string's EntityPath names another hub than \(name)")
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
    /// - Throws: `ConnectionStringError`, ``HubValidationError``.
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
    /// - Throws: ``HubValidationError``.
    public init(
        endpoint: ServiceEndpoint, hubName: String, tokens: some SASTokenSource, transport: some HubTransport,
        options: Options = Options()
    ) throws {
        try self.init(
            endpoint: endpoint, name: try Name(validating: hubName), tokens: tokens, transport: transport,
            options: options)
    }

    package init(
        endpoint: ServiceEndpoint, name: Name, tokens: some SASTokenSource, transport: some HubTransport,
        options: Options, time: CallTime = .system
    ) throws {
        self.name = name
        self.endpoint = endpoint
        self.transport = transport
        self.options = options
        self.time = time
        self.tokens = TokenFetch(tokens, resource: try endpoint.hubResource(named: name.rawValue))
    }
}

extension NotificationHub: CustomStringConvertible, CustomReflectable {
    /// Where the hub is; not the key.
    public var description: String { "NotificationHub(\(endpoint)/\(name))" }

    /// Name and endpoint; not the key, nor the transport, whose inner life has the requests under way.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "endpoint": endpoint]) }
}

extension NotificationHub {
    /// How a client calls.
    public struct Options: Sendable {
        /// How often a call is tried again.
        public var retry: RetryPolicy
        /// How long a call may take, with its tokens, attempts and waits.
        public var deadline: Duration
        /// How long one attempt may take.
        public var attemptTimeout: Duration
        /// What is told of every attempt, on the task that calls: it should not take long.
        public var observer: (@Sendable (HubEvent) -> Void)?

        /// Options; without arguments, a minute for a call, fifteen seconds for an attempt, and four attempts at the most.
        public init(
            retry: RetryPolicy = RetryPolicy(), deadline: Duration = .seconds(60),
            attemptTimeout: Duration = .seconds(15), observer: (@Sendable (HubEvent) -> Void)? = nil
        ) {
            precondition(deadline > .zero && attemptTimeout > .zero, "a call takes time")
            self.retry = retry
            self.deadline = deadline
            self.attemptTimeout = attemptTimeout
            self.observer = observer
        }
    }
}

extension NotificationHub {
    /// A hub's name: letters, digits and `. - _` in ASCII, at most 260.
    public struct Name: HubCheckedText, ExpressibleByStringLiteral {
        /// The name.
        public let rawValue: String

        /// Checks a name.
        ///
        /// - Throws: ``HubValidationError`` if it is empty, too long, or contains another character.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            if let problem = HubName.problem(in: rawValue) {
                throw HubValidationError(.invalidHubName, problem.reason, offset: problem.offset)
            }
        }

        /// Whether a text is the hub's name; the service ignores case.
        package func isSame(as other: some StringProtocol) -> Bool {
            rawValue.utf8.isEqual(ignoringCase: other)
        }
    }
}
