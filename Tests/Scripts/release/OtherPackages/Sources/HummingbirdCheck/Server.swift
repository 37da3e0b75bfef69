import Foundation
import Hummingbird
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import PushBackend
import SharedAccessSignature

/// A Hummingbird server with the middleware and the service of the article "Embed in Hummingbird and Vapor", and an emulated hub.
///
/// The password of each user is `secret of NAME`. The first argument is the directory of the payloads. The server prints its port,
/// and on the next line a token. It has additional routes:
/// - `deliveries` returns the deliveries.
/// - `message` sends a message over HTTPS to the hub in the environment variables `HUB_CONNECTION_STRING` and `HUB_CA_FILE`.
/// - `installations/ID` responds 200 if the installation exists, and `secured` if the request has the token.
/// - `lost` sends a message to a hub that accepts it and does not respond.
@main
struct Server {
    static func main() async throws {
        let emulator = HubEmulator(hubName: "push")
        let hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator)
        let store = try DirectoryPayloadStore(path: CommandLine.arguments[1])
        let backend = AppBackend(
            hub: hub,
            authenticator: AppBackend.BasicAuthenticator { name, password in
                password == "secret of \(name)" ? name : nil
            },
            mode: .securePush(store: store))

        let router = Router()
        router.add(middleware: PushMiddleware(backend: backend))
        router.add(middleware: HubErrorMiddleware())
        router.get("installations/:id") { _, context in
            try await hub.installation(Installation.ID(validating: context.parameters.require("id"))).id.rawValue
        }
        let silent = HubEmulator()
        silent.faults = [.init(.resetAfter)]
        let silentHub = silent.makeClient()
        router.post("lost") { _, _ in
            _ = try await silentHub.send(.template(["message": "Hello"]), to: .tag("news"))
            return "sent"
        }
        let key = SharedAccessKey(name: "server", secret: "secret")
        let url = "https://push.example.com/secured"
        router.group()
            .add(middleware: SASMiddleware(verifier: SASVerifier(keys: [key]), resource: try SASResource(url)))
            .get("secured") { _, _ in "accepted" }
        let token = SASSigner(key: key, resource: url).token(validFor: .seconds(600)).headerValue
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
                _ = try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
                return "sent"
            }
        }
        var application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                // Not buffered, even if the output is a file.
                FileHandle.standardOutput.write(Data("\(channel.localAddress?.port ?? 0)\n\(token)\n".utf8))
            })
        application.addServices(PayloadSweep(store: store))
        try await application.run()
    }
}
