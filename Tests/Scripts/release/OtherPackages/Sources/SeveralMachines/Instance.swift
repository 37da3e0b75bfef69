import Foundation
import Hummingbird
import NotificationHubs
import NotificationHubsHTTP
import PushBackend

/// One of several instances of a Hummingbird backend with the middleware of the article "Embed in Hummingbird and Vapor" and the
/// service of the article "Run several machines".
///
/// The hub is in `HUB_CONNECTION_STRING`, and the container `payloads` in `STORAGE_CONNECTION_STRING`. The password of each user
/// is `secret of NAME`. The instance prints its port.
@main
struct Instance {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let hub = try NotificationHub(
            connectionString: environment["HUB_CONNECTION_STRING"] ?? "", hubName: "push", transport: .http)
        let store = try BlobPayloadStore(
            container: try .init(connectionString: environment["STORAGE_CONNECTION_STRING"] ?? "", named: "payloads"),
            transport: .http)
        let backend = AppBackend(
            hub: hub,
            authenticator: AppBackend.BasicAuthenticator { name, password in
                password == "secret of \(name)" ? name : nil
            },
            mode: .securePush(store: store, platforms: [.apple]))
        let router = Router()
        router.add(middleware: PushMiddleware(backend: backend))
        var application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                // Not buffered, even if the output is a file.
                FileHandle.standardOutput.write(Data("\(channel.localAddress?.port ?? 0)\n".utf8))
            })
        application.addServices(SharedPayloadSweep(store: store))
        try await application.run()
    }
}
