public import SharedAccessSignature

/// A client that creates, reads, changes and deletes the hubs of a namespace.
///
/// ```swift
/// let namespace = try NotificationHubNamespace(connectionString: text, transport: .http)
/// for hub in try await namespace.hubs() { print(hub.name) }
/// ```
///
/// The connection string's policy must belong to the namespace and have the Manage right, such as
/// `RootManageSharedAccessKey`. A hub's policy is rejected.
///
/// Sources: the .NET SDK's `NamespaceManager`; the Java SDK's `NamespaceManager`, for the listing.
public struct NotificationHubNamespace: Sendable {
    /// The namespace's endpoint.
    public let endpoint: ServiceEndpoint
    let connection: HubConnection

    /// Creates a client from a connection string.
    ///
    /// - Parameters:
    ///   - connectionString: The connection string of one of the namespace's access policies. Its `EntityPath` is ignored.
    ///   - transport: The HTTP client.
    ///   - options: Deadlines, retries and an observer.
    /// - Throws: `ConnectionStringError`.
    public init(
        connectionString: String, transport: some HubTransport, options: NotificationHub.Options = .init()
    ) throws(ConnectionStringError) {
        self.init(connection: try ConnectionString(connectionString), transport: transport, options: options)
    }

    /// Creates a client from a parsed connection string.
    ///
    /// - Parameters:
    ///   - connection: The connection string of one of the namespace's access policies. Its `EntityPath` is ignored.
    ///   - transport: The HTTP client.
    ///   - options: Deadlines, retries and an observer.
    public init(
        connection: ConnectionString, transport: some HubTransport, options: NotificationHub.Options = .init()
    ) {
        endpoint = connection.endpoint
        // A token for the namespace's root covers all hubs.
        self.connection = HubConnection(
            transport: transport, options: options, time: .system,
            tokens: TokenFetch(connection.tokens, resource: "https://\(endpoint.host)/"))
    }
}

extension NotificationHubNamespace: CustomStringConvertible, CustomReflectable {
    /// The namespace's endpoint, without the key.
    public var description: String { "NotificationHubNamespace(\(endpoint))" }

    /// The endpoint. The key is omitted, and so is the transport, because it can reference requests in flight.
    public var customMirror: Mirror { Mirror(self, children: ["endpoint": endpoint]) }
}

extension NotificationHubNamespace {
    /// Returns all hubs of the namespace.
    ///
    /// The request is repeated until a page has no further hub. A hub that is created or deleted in the meantime can be missing.
    ///
    /// - Throws: ``HubError``.
    public func hubs() async throws -> [NotificationHub.Description] {
        var hubs: [NotificationHub.Description] = []
        var names: Set<String> = []
        var skip = 0
        while true {
            let page = try await perform(Self.page(skip: skip))
            skip += page.count
            let new = page.filter { names.insert($0.name.rawValue.lowercased()).inserted }
            hubs += new
            // A page can be shorter than requested. Without new hubs, the list is complete, or the service ignores `$skip`.
            if new.isEmpty { return hubs }
        }
    }

    private static let pageSize = 100

    private static func page(skip: Int) -> Operation<[NotificationHub.Description]> {
        Operation("hubs", .get, .hubs, query: ["$skip=\(skip)", "$top=\(pageSize)"]) { response in
            do throws(XMLContentError) {
                let feed = try Atom.read(response.body, maximumByteCount: XMLReader.maximumListByteCount)
                return try Atom.entries(of: feed).map { entry throws(XMLContentError) in
                    try NotificationHub.Description(xml: entry.element, at: entry.path)
                }
            } catch {
                throw HubError(response, unreadable: "the hubs", error)
            }
        }
    }

    /// Returns a hub's description.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if the hub does not exist.
    public func hub(_ name: NotificationHub.Name) async throws -> NotificationHub.Description {
        try await perform(
            Operation("hub", .get, .hub, name.rawValue) { try NotificationHub.Description($0, name: name) })
    }

    /// Creates a hub.
    ///
    /// - Returns: The description with the values that the service adds, such as the default access policies.
    /// - Throws: ``HubValidationError``, before anything is sent, if the description contains a character that XML does not
    ///   allow; ``HubError``, with the code ``HubError/Code/conflict`` if the hub exists, and
    ///   ``HubError/Code/mayHaveBeenAccepted`` if the service may have created it.
    public func createHub(_ hub: NotificationHub.Description) async throws -> NotificationHub.Description {
        // The service would reject a retry if the first attempt created the hub.
        try await perform(Self.put("createHub", hub, isIdempotent: false))
    }

    /// Replaces a hub's description.
    ///
    /// Read the description, change it and pass it to this function: elements that this package does not model are sent back
    /// unchanged. The service's response for a hub that does not exist is not documented.
    ///
    /// - Returns: The new description.
    /// - Throws: ``HubValidationError``, before anything is sent, if the description contains a character that XML does not
    ///   allow; ``HubError``.
    public func updateHub(_ hub: NotificationHub.Description) async throws -> NotificationHub.Description {
        try await perform(Self.put("updateHub", hub, headers: ["If-Match": "*"], isIdempotent: true))
    }

    private static func put(
        _ name: HubEvent.OperationName, _ hub: NotificationHub.Description, headers: HubHeaders = [:],
        isIdempotent: Bool
    ) throws(HubValidationError) -> Operation<NotificationHub.Description> {
        var headers = headers
        headers["Content-Type"] = Atom.entryType
        return Operation(
            name, .put, .hub, hub.name.rawValue, headers: headers, body: try Atom.bytes(hub.xml),
            isIdempotent: isIdempotent, successes: [200, 201]
        ) { try NotificationHub.Description($0, name: hub.name) }
    }

    /// Deletes a hub with all its installations and registrations.
    ///
    /// A retry that gets status 404 after a lost response counts as a success.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if the hub does not exist.
    public func deleteHub(_ name: NotificationHub.Name) async throws {
        try await perform(
            Operation(
                "deleteHub", .delete, .hub, name.rawValue, successes: [200, 202, 204], successesOnRetry: [404]
            ) { _ in })
    }

    private func perform<Response>(_ operation: Operation<Response>) async throws -> Response {
        do {
            return try await operation.perform(at: endpoint, below: "", by: connection)
        } catch {
            throw error.publicError
        }
    }
}

extension NotificationHub.Description {
    /// - Parameter name: The name of the expected hub.
    fileprivate init(_ response: HubResponse, name: NotificationHub.Name) throws {
        do {
            let root = try Atom.read(response.body)
            // For a hub that does not exist, the service responds with status 200 and an empty list.
            if root.localName == "feed", root["title"]?.content == Atom.publicListTitle {
                throw HubError(
                    .notFound, status: response.status, detail: "the hub does not exist",
                    trackingID: response.trackingID, correlationID: response.correlationID)
            }
            try self.init(xml: root)
        } catch let error as XMLContentError {
            throw HubError(response, unreadable: "the hub's description", error)
        }
        guard self.name.isSame(as: name.rawValue) else {
            throw HubError(unreadable: response, "the response contains another hub")
        }
    }
}
