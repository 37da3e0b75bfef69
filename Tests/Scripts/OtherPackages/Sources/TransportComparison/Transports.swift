import AsyncHTTPClient
import NIOSSL
import NotificationHubs
import NotificationHubsHTTP

/// The transport of a name, with a limit of connections and with further certificate authorities.
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
    /// The article's transport with as many connections as the other one, and with certificate authorities to trust.
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
    /// Puts an installation. The function has another name in the commit that this one is compared with.
    func put(_ installation: Installation) async throws { try await putInstallation(installation) }
}
