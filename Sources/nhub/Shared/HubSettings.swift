import HubCommandLine
import NotificationHubs
import NotificationHubsHTTP
import SharedAccessSignature

/// The hub to use, and how to connect to it.
struct HubSettings {
    let connection: ConnectionString
    let name: NotificationHub.Name
    /// A file of certificate authorities to trust in addition to the system's.
    let caFile: String?

    /// The settings of the two environment variables and of `--ca-file`.
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
        name = try Self.name(hubName)
    }

    /// A hub's name, if the text is one.
    static func name(_ text: String) throws(UsageError) -> NotificationHub.Name {
        do {
            return try NotificationHub.Name(validating: text)
        } catch {
            throw UsageError("the hub's name is not valid: \(error)")
        }
    }

    /// An HTTP transport.
    ///
    /// - Throws: ``UsageError`` for an invalid `--ca-file`; `HubTransportError` if there is no transport.
    func transport(maximumConnections: Int = 64) throws -> HubHTTPTransport {
        do throws(HubTransportError) {
            return try HubHTTPTransport(maximumConnections: maximumConnections, certificateAuthorityFile: caFile)
        } catch {
            if caFile != nil { throw UsageError("--ca-file: \(error)") }
            throw error
        }
    }

    /// A client of the hub, with an HTTP transport of its own.
    func hub(maximumConnections: Int = 64, options: NotificationHub.Options = .init()) throws -> NotificationHub {
        try hub(transport: try transport(maximumConnections: maximumConnections), options: options)
    }

    /// A client of the hub.
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

    /// What signs tokens for the hub.
    func signer() throws -> SASSigner {
        try SASSigner(connection: connection, hubName: name.rawValue)
    }
}

extension Arguments {
    /// Takes the value of `--ca-file`.
    mutating func caFile() throws(UsageError) -> String? {
        try value(of: "--ca-file")
    }
}
