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

    /// Reads the settings from the two environment variables, and adds the value of `--ca-file`.
    static func fromEnvironment(caFile: String?) throws(UsageError) -> HubSettings {
        try HubSettings(
            connectionString: try Environment.value(of: "NOTIFICATION_HUB_CONNECTION_STRING"),
            hubName: try Environment.value(of: "NOTIFICATION_HUB_NAME"), caFile: caFile)
    }

    init(connectionString: String, hubName: String, caFile: String? = nil) throws(UsageError) {
        self.caFile = caFile
        do {
            connection = try ConnectionString(connectionString)
        } catch {
            throw UsageError("\(error)")
        }
        name = try Self.name(hubName, from: "NOTIFICATION_HUB_NAME")
    }

    /// Parses a hub's name.
    ///
    /// - Parameter source: The option or environment variable with the name, for the error message.
    static func name(_ text: String, from source: String) throws(UsageError) -> NotificationHub.Name {
        do {
            return try NotificationHub.Name(validating: text)
        } catch {
            throw UsageError("\(source): \(error)")
        }
    }

    /// Creates an HTTP transport.
    ///
    /// - Throws: ``UsageError`` for an invalid `--ca-file`, or `HubTransportError` if the transport is not available.
    func transport(maximumConnections: Int = 64) throws -> HubHTTPTransport {
        try Self.transport(maximumConnections: maximumConnections, caFile: caFile)
    }

    /// Creates an HTTP transport that trusts a file of certificate authorities in addition to the system's.
    ///
    /// - Throws: ``UsageError`` for an invalid `--ca-file`, or `HubTransportError` if the transport is not available.
    static func transport(maximumConnections: Int, caFile: String?) throws -> HubHTTPTransport {
        do throws(HubTransportError) {
            return try HubHTTPTransport(maximumConnections: maximumConnections, certificateAuthorityFile: caFile)
        } catch {
            if caFile != nil { throw UsageError("--ca-file: \(error)") }
            throw error
        }
    }

    /// Creates a client of the hub with its own HTTP transport.
    func hub(maximumConnections: Int = 64, options: NotificationHub.Options = .init()) throws -> NotificationHub {
        try hub(transport: try transport(maximumConnections: maximumConnections), options: options)
    }

    /// Creates a client of the hub.
    func hub(
        transport: some HubTransport, options: NotificationHub.Options = .init()
    ) throws(UsageError) -> NotificationHub {
        do {
            return try NotificationHub(
                connection: connection, hubName: name.rawValue, transport: transport, options: options)
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// Creates a signer of tokens for the hub.
    func signer() throws -> SASSigner {
        try SASSigner(connection: connection, hubName: name.rawValue)
    }
}

extension Arguments {
    /// Removes `--ca-file` and returns its value.
    mutating func caFile() throws(UsageError) -> String? {
        try value(of: "--ca-file")
    }
}
