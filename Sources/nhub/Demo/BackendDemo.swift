import NotificationHubsEmulatorServer
import DeviceRegistration
import HubDemo
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import PushBackend

/// The demo of an app backend to run.
enum BackendFlow: String, CaseIterable, Sendable {
    case notifyUsers = "notify-users"
    case securePush = "secure-push"

    /// The text in the help.
    var help: String {
        switch self {
        case .notifyUsers: "Send each user's message only to that user's devices."
        case .securePush:
            """
            Keep a secret message on the backend. The pushes carry only its ID, and only the recipient's devices can fetch it.
            """
        }
    }
}

/// A demo of an app backend and an emulated hub on local ports, with two users and three devices.
struct BackendDemo: Sendable {
    let emulator: HubEmulator
    /// The backend's client of the hub.
    let hub: NotificationHub
    let address: DeviceRegistrar.Address
    let steps: DemoSteps
    /// Anna's phone and tablet, and Bert's phone.
    let devices: [BackendDevice]

    var anna: ArraySlice<BackendDevice> { devices.prefix(2) }
    var bert: BackendDevice { devices[2] }

    /// Starts both servers and runs a flow.
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
            case .notifyUsers: .notifyUsers()
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
            emulator: emulator, hub: hub, address: address,
            steps: DemoSteps(transport: transport, report: report, describe: HubFailure.text(of:)),
            devices: [
                device("Anna's phone", users[0], .apple(deviceToken: randomBytes())),
                device("Anna's tablet", users[0], .fcmV1(registrationToken: "tablet-\(UInt64.random(in: 0 ... .max))")),
                device("Bert's phone", users[1], .apple(deviceToken: randomBytes())),
            ])
        report.begin("App backend at \(backendServer.url), hub at \(hubServer.url):")
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

    /// Creates a device that has no registered user.
    func makeUnknownDevice(_ credential: @escaping @Sendable () throws -> DeviceRegistrar.Credential?)
        -> DeviceRegistrar
    {
        DeviceRegistrar(
            backend: address, transport: steps.transport, storage: .memory, credential: credential
        )
    }

    /// Checks that the backend rejects a call, with the given error code.
    func expectError(_ code: DeviceRegistrationError.Code, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as DeviceRegistrationError where error.code == code {
            return
        }
        throw DemoError("the backend accepted a request that it must reject")
    }

    private static func randomBytes() -> [UInt8] {
        (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    }
}

extension BackendDemo {
    /// Sends a message to each user's devices, and registers a device again after the hub has deleted its registration.
    func notifyUsers() async throws {
        let toAnna = DemoDevice.randomMessage()
        let toBert = DemoDevice.randomMessage()
        try await steps.step("try a wrong password") {
            let device = makeUnknownDevice { try .basic(name: "anna", password: "guess") }
            try await expectError(.needsAuthentication) { try await device.notifyOwnDevices("hello") }
            return "rejected"
        }
        try await steps.step("Anna sends to her devices") {
            try await devices[0].registrar.notifyOwnDevices(toAnna)
            return ""
        }
        try await steps.step("Bert sends to his") {
            try await bert.registrar.notifyOwnDevices(toBert)
            return ""
        }
        try await steps.step("check all devices") {
            for device in devices {
                let text = try shownText(on: device)
                guard text == (device.user.name == "anna" ? toAnna : toBert) else {
                    throw DemoError("\(device.name) shows an unexpected message")
                }
            }
            guard emulator.deliveries.count == devices.count else {
                throw DemoError("expected \(devices.count) deliveries; got \(emulator.deliveries.count)")
            }
            return "each shows its user's message only"
        }
        try await steps.step("delete Bert's registration") {
            guard let id = bert.storage.registrationID() else {
                throw DemoError("\(bert.name) has no registration ID")
            }
            try await hub.deleteRegistration(id)
            return "the hub responds with 410 to updates of its ID"
        }
        try await steps.step("register Bert's phone again") {
            let old = bert.storage.registrationID()
            try await bert.registrar.register(bert.channel)
            guard let id = bert.storage.registrationID(), id != old else {
                throw DemoError("\(bert.name) has no new registration ID")
            }
            return "with a new ID"
        }
        for device in devices { steps.report.shows(device.name, try shownText(on: device)) }
    }

    /// Returns the text of the only notification that a device has received: Apple's alert or Firebase's body.
    private func shownText(on device: BackendDevice) throws -> String {
        let name = device.channel.platform == .apple ? "alert" : "body"
        let texts = try device.pushed(name, by: emulator)
        guard texts.count == 1 else {
            throw DemoError("expected one notification on \(device.name); got \(texts.count)")
        }
        return texts[0]
    }
}

extension BackendDemo {
    /// Sends a secret, checks that no push contains it, and checks that only the recipient's devices can fetch it.
    func securePush() async throws {
        let secret = DemoDevice.randomMessage()
        try await steps.step("Anna sends a secret") {
            try await devices[0].registrar.notifyOwnDevices(secret)
            return "the pushes to her devices carry only its ID"
        }
        let pushes = emulator.deliveries
        try await steps.step("search the pushes") {
            guard pushes.count == anna.count else {
                throw DemoError("expected \(anna.count) pushes; got \(pushes.count)")
            }
            for push in pushes {
                let texts = [push.body] + push.headers.flatMap { [$0.key, $0.value] }
                guard !texts.contains(where: { $0.contains(secret: secret) }) else {
                    throw DemoError("a push contains the secret")
                }
            }
            return "none of \(pushes.count) pushes contains the secret"
        }
        let id = try secureID(on: devices[0])
        try await steps.step("Bert tries to fetch it") {
            try await expectError(.notFound) { _ = try await bert.registrar.securePayload(id) }
            return "his account has no payload with that ID"
        }
        try await steps.step("fetch it without sign-in") {
            try await expectError(.needsAuthentication) { _ = try await makeUnknownDevice { nil }.securePayload(id) }
            return "the app shows: You have a new message"
        }
        var shown: [(device: String, text: String)] = []
        for device in anna {
            try await steps.step("\(device.name) fetches it") {
                let payload = try await device.registrar.securePayload(try secureID(on: device))
                guard payload.text == secret else { throw DemoError("the fetched payload is not the secret") }
                shown.append((device.name, payload.text))
                return ""
            }
        }
        for (device, text) in shown { steps.report.shows(device, text) }
    }

    private func secureID(on device: BackendDevice) throws -> DeviceRegistrar.Payload.ID {
        let ids = try device.pushed("secureId", by: emulator)
        guard ids.count == 1 else { throw DemoError("expected one ID on \(device.name); got \(ids.count)") }
        return try DeviceRegistrar.Payload.ID(validating: ids[0])
    }
}

extension String {
    /// Returns whether the text contains a secret, literally or escaped as in JSON.
    fileprivate func contains(secret: String) -> Bool {
        let escaped = String(
            decoding: JSONValue.string(secret).bytes.dropFirst().dropLast(), as: UTF8.self)
        return contains(secret) || contains(escaped)
    }
}
