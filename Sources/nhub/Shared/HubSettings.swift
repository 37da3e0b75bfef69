import HubCommandLine
import NotificationHubs
import NotificationHubsHTTP
import SharedAccessSignature

/// The hub to connect to, and the settings of the connection.
struct HubSettings {
    let connection: ConnectionString
    let name: NotificationHub.Name
    /// A file of certificate authorities to trust in addition to the system's.
    let caFile: String?
    /// Whether each attempt of a call is reported on standard error.
    let isVerbose: Bool

    /// Creates settings.
    init(connection: ConnectionString, name: NotificationHub.Name, caFile: String? = nil, isVerbose: Bool = false) {
        (self.connection, self.name, self.caFile, self.isVerbose) = (connection, name, caFile, isVerbose)
    }

    /// Creates an HTTP transport.
    ///
    /// - Throws: `UsageError` for an invalid `--ca-file`, or `HubTransportError` if the transport is not available.
    func transport(maximumConnections: Int = 64) throws -> HubHTTPTransport {
        try Self.transport(maximumConnections: maximumConnections, caFile: caFile)
    }

    /// Creates an HTTP transport that trusts a file of certificate authorities in addition to the system's.
    ///
    /// - Throws: `UsageError` for an invalid `--ca-file`, or `HubTransportError` if the transport is not available.
    static func transport(
        maximumConnections: Int, maximumResponseByteCount: Int = 4 << 20, caFile: String?
    ) throws -> HubHTTPTransport {
        do throws(HubTransportError) {
            return try HubHTTPTransport(
                maximumConnections: maximumConnections, maximumResponseByteCount: maximumResponseByteCount,
                certificateAuthorityFile: caFile)
        } catch {
            if caFile != nil { throw UsageError("--ca-file: \(error)") }
            throw error
        }
    }

    /// Creates a client of the hub with its own HTTP transport.
    func hub(maximumConnections: Int = 64, options: NotificationHub.Options = .init()) throws -> NotificationHub {
        try hub(transport: try transport(maximumConnections: maximumConnections), options: options)
    }

    /// Creates a client of the hub. With `--verbose`, it reports its attempts, unless the options have an observer.
    func hub(
        transport: some HubTransport, options: NotificationHub.Options = .init()
    ) throws(UsageError) -> NotificationHub {
        var options = options
        if isVerbose, options.observer == nil { options.observer = AttemptLog.observer() }
        do {
            return try NotificationHub(
                connection: connection, hubName: name.rawValue, transport: transport, options: options)
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// Creates a client of the hub's namespace, with its own HTTP transport.
    func namespace() throws -> NotificationHubNamespace {
        var options = NotificationHub.Options()
        if isVerbose { options.observer = AttemptLog.observer() }
        return NotificationHubNamespace(connection: connection, transport: try transport(), options: options)
    }

    /// Creates a signer of tokens for the hub.
    func signer() throws -> SASSigner {
        try SASSigner(connection: connection, hubName: name.rawValue)
    }
}
