import DeviceRegistration
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import PushBackend

/// What an app's backend is for.
enum BackendFlow: String, Sendable {
    case notifyUsers = "notify-users"
    case securePush = "secure-push"
}

/// An app's backend and its hub on ports of this machine, and two users with three devices.
struct BackendDemo: Sendable {
    let emulator: HubEmulator
    /// The backend's own client of the hub.
    let hub: NotificationHub
    let address: DeviceRegistrar.Address
    let steps: DemoSteps
    /// Anna's phone and tablet, and Bert's phone.
    let devices: [BackendDevice]

    var anna: ArraySlice<BackendDevice> { devices.prefix(2) }
    var bert: BackendDevice { devices[2] }

    /// Starts both servers, and runs a flow.
    static func run(_ flow: BackendFlow, _ report: DemoReport) async throws {
        let emulator = HubEmulator(hubName: "demo")
        let hubServer = try HubEmulator.Server(emulator)
        defer { hubServer.stop() }
        let hub = try NotificationHub(
            connectionString: hubServer.connectionString, hubName: "demo", transport: .http)
        let users = [BackendUser(name: "anna"), BackendUser(name: "bert")]
        let passwords = Dictionary(uniqueKeysWithValues: users.map { ($0.name, $0.password) })
        let mode: AppBackend.Mode =
            switch flow {
            case .notifyUsers: .notifyUsers
            case .securePush: .securePush(store: MemoryPayloadStore())
            }
        let backend = AppBackend(
            hub: hub,
            authenticator: AppBackend.BasicAuthenticator { name, password in passwords[name] == password ? name : nil },
            mode: mode)
        let backendServer = try BackendServer(backend)
        defer { backendServer.stop() }

        let address = try DeviceRegistrar.Address(backendServer.url)
        let transport = TracingTransport(try .http)
        func device(_ name: String, _ user: BackendUser, _ channel: PushChannel) -> BackendDevice {
            BackendDevice(name, of: user, channel, backend: address, transport: transport)
        }
        let demo = BackendDemo(
            emulator: emulator, hub: hub, address: address, steps: DemoSteps(transport: transport, report: report),
            devices: [
                device("Anna's phone", users[0], .apple(deviceToken: randomBytes())),
                device("Anna's tablet", users[0], .fcmV1(registrationToken: "tablet-\(UInt64.random(in: 0 ... .max))")),
                device("Bert's phone", users[1], .apple(deviceToken: randomBytes())),
            ])
        report.begin("A backend at \(backendServer.url), and its hub at \(hubServer.url):")
        try await demo.register()
        switch flow {
        case .notifyUsers: try await demo.notifyUsers()
        case .securePush: try await demo.securePush()
        }
    }

    /// Registers every device for its user.
    private func register() async throws {
        for device in devices {
            try await steps.step("register \(device.name)") {
                try await device.registrar.register(device.channel)
                return "for \(device.user.name)"
            }
        }
    }

    /// A device of nobody's, or of whoever pretends to be somebody.
    func stranger(_ credential: @escaping @Sendable () throws -> DeviceRegistrar.Credential?) -> DeviceRegistrar {
        DeviceRegistrar(
            backend: address, transport: steps.transport, storage: .memory, credential: credential
        )
    }

    /// Makes sure that the backend refuses something.
    func expect(_ code: DeviceRegistrationError.Code, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as DeviceRegistrationError where error.code == code {
            return
        }
        throw DemoFailure("the backend did what it is to refuse")
    }

    private static func randomBytes() -> [UInt8] {
        (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    }
}
