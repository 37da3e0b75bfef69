import AsyncHTTPClient
import NIOSSL
import NotificationHubs
import NotificationHubsHTTP

/// Creates a transport by name, with a limit of connections and additional certificate authorities.
func makeTransport(
    _ name: String, connections: Int, certificateAuthorityFile: String?
) throws -> any HubTransport {
    switch name {
    case "libcurl":
        return try HubHTTPTransport(
            maximumConnections: connections, certificateAuthorityFile: certificateAuthorityFile)
    case "async-http-client":
        return AsyncHTTPClientTransport(connections: connections, certificateAuthorityFile: certificateAuthorityFile)
    default:
        throw UnknownName(description: "unknown transport: \(name)")
    }
}

extension AsyncHTTPClientTransport {
    /// Creates the article's transport with the same limit of connections as the other one, and with trusted authorities.
    init(connections: Int, certificateAuthorityFile: String?) {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        if let certificateAuthorityFile {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(certificateAuthorityFile)
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}

extension NotificationHub {
    /// Puts an installation. `transport-comparison` compares with a commit in which the client's function has another name.
    func put(_ installation: Installation) async throws { try await putInstallation(installation) }
}
