import NotificationHubsEmulatorServer
import DeviceRegistration
import HubCrypto
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import NotificationHubsTesting
import PushBackend
import SharedAccessSignature

// Does not compile if a name is ambiguous.
typealias Names = (
    AppBackend, DeviceRegistrar, HMAC, HubEmulator, HubError, HubHTTPTransport, Installation, NotificationHub,
    PushChannel,
    PushNotification, Registration, SASSigner, SASToken, SASVerifier, SHA256, SharedAccessKey, TransportConformance
)

// A device registers with the backend of an app, through a transport in process.
struct InProcess: HubTransport {
    let backend: AppBackend

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        let response = await backend.respond(
            to: AppBackend.Request(
                method: request.method.rawValue, target: "\(request.path)?\(request.query)", headers: request.headers,
                body: request.body))
        return HubResponse(status: response.status, headers: response.headers, body: response.body)
    }
}

let emulator = HubEmulator(hubName: "push")
let server = try HubEmulator.Server(emulator)
let hub = try NotificationHub(connectionString: server.connectionString, hubName: "push", transport: .http)
let backend = AppBackend(
    hub: hub, authenticator: AppBackend.BasicAuthenticator { name, _ in name }, mode: .notifyUsers())
let registrar = try DeviceRegistrar(
    backend: DeviceRegistrar.Address("https://push.contoso.com"), transport: InProcess(backend: backend),
    storage: .memory, credential: { try .basic(name: "alice", password: "secret") })
try await registrar.register(.apple(deviceToken: [1, 2]), tags: ["news"])
_ = try await hub.send(.apple(#"{"aps": {"alert": "Hello"}}"#), to: .tag("news"))
precondition(emulator.deliveries.count == 1)
try await TransportConformance.checks[0].run(.http)
let signer = try SASSigner(connectionString: server.connectionString, hubName: "push")
precondition(signer.token(validFor: .seconds(60)).headerValue.hasPrefix("SharedAccessSignature sr="))
print("kernel \(SHA256.activeKernel)")
server.stop()
