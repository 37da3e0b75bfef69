import Foundation
import Hummingbird
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import PushBackend

/// A Hummingbird server with the middleware that the README shows, before an emulated hub. Users are whoever knows the password
/// `secret of NAME`; payloads stand in the directory that the first argument names.
///
/// It prints its port, and has two routes of its own: `deliveries` shows what devices have got, and `message` sends a message over
/// HTTPS to the hub that the environment names by `HUB_CONNECTION_STRING` and `HUB_CA_FILE`.
@main
struct Server {
    static func main() async throws {
        let emulator = HubEmulator(hubName: "push")
        let hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator)
        let backend = AppBackend(
            hub: hub,
            authenticator: AppBackend.BasicAuthenticator { name, password in
                password == "secret of \(name)" ? name : nil
            },
            mode: .securePush(store: try DirectoryPayloadStore(path: CommandLine.arguments[1])))

        let router = Router()
        router.add(middleware: PushMiddleware(backend: backend))
        router.get("deliveries") { _, _ in
            emulator.deliveries.map { "\($0.pushChannel.handle) \($0.body)" }.joined(separator: "\n")
        }
        let environment = ProcessInfo.processInfo.environment
        if let connectionString = environment["HUB_CONNECTION_STRING"] {
            let hub = try NotificationHub(
                connectionString: connectionString, hubName: "push",
                transport: HubHTTPTransport(certificateAuthorityFile: environment["HUB_CA_FILE"]),
                options: .init(retry: .never))
            router.post("message") { _, _ in
                try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
                return "sent"
            }
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                // At once, to a file too.
                FileHandle.standardOutput.write(Data("\(channel.localAddress?.port ?? 0)\n".utf8))
            })
        try await application.run()
    }
}
