import HubCommandLine
import NotificationHubs
import NotificationHubsURLSession
import SharedAccessSignature

/// Which hub is meant, and what opens it.
struct HubSettings {
    let connection: ConnectionString
    let name: NotificationHub.Name

    /// The settings of the two environment variables.
    static func fromEnvironment() throws(UsageError) -> HubSettings {
        try HubSettings(
            connectionString: try Environment.value(of: "NOTIFICATION_HUB_CONNECTION_STRING"),
            hubName: try Environment.value(of: "NOTIFICATION_HUB_NAME"))
    }

    init(connectionString: String, hubName: String) throws(UsageError) {
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

    /// A client of the hub.
    func hub(
        transport: any HubTransport = URLSessionTransport(), options: NotificationHub.Options = .init()
    ) throws(UsageError) -> NotificationHub {
        do {
            return try NotificationHub(
                connection: connection, hubName: name.text, transport: transport, options: options)
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// What signs tokens for the hub.
    func signer() throws -> SASSigner {
        try SASSigner(key: connection.key, endpoint: connection.endpoint, hub: name.text)
    }
}
