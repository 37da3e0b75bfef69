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

extension BackendDemo {
    /// Each user's message reaches that user's devices, and no other; and a device that the hub has forgotten comes back.
    func notifyUsers() async throws {
        let toAnna = DemoDevice.randomMessage()
        let toBert = DemoDevice.randomMessage()
        try await steps.step("try a wrong password") {
            let guess = stranger { try .basic(name: "anna", password: "guess") }
            try await expect(.needsAuthentication) { try await guess.notifyOwnDevices("hello") }
            return "refused"
        }
        try await steps.step("Anna sends to her devices") {
            try await devices[0].registrar.notifyOwnDevices(toAnna)
            return ""
        }
        try await steps.step("Bert sends to his") {
            try await bert.registrar.notifyOwnDevices(toBert)
            return ""
        }
        try await steps.step("look at all devices") {
            for device in devices {
                let text = try shownText(on: device)
                guard text == (device.user.name == "anna" ? toAnna : toBert) else {
                    throw DemoFailure("\(device.name) shows what is another user's")
                }
            }
            guard emulator.deliveries.count == devices.count else { throw DemoFailure("somebody got more") }
            return "each has its user's message, and nothing else"
        }
        try await steps.step("the hub forgets it") {
            guard let id = bert.storage.registrationID() else { throw DemoFailure("it has no id") }
            try await hub.deleteRegistration(id)
            return "what Bert's phone puts under its id is answered with 410"
        }
        try await steps.step("register it again") {
            let old = bert.storage.registrationID()
            try await bert.registrar.register(bert.channel)
            guard let id = bert.storage.registrationID(), id != old else { throw DemoFailure("it has no new id") }
            return "under a new id"
        }
        for device in devices { steps.report.shows(device.name, try shownText(on: device)) }
    }

    /// The text of the one notification that a device was shown: Apple's alert, or Firebase's body.
    private func shownText(on device: BackendDevice) throws -> String {
        let name = device.channel.platform == .apple ? "alert" : "body"
        let texts = try device.pushed(name, by: emulator)
        guard texts.count == 1 else {
            throw DemoFailure("\(device.name) got \(texts.count) notifications instead of one")
        }
        return texts[0]
    }
}

extension BackendDemo {
    /// The secret is in no push; both devices of the right user fetch it, and nobody else does.
    func securePush() async throws {
        let secret = DemoDevice.randomMessage()
        try await steps.step("Anna keeps a secret") {
            try await devices[0].registrar.notifyOwnDevices(secret)
            return "her devices are told its id"
        }
        let pushes = emulator.deliveries
        try await steps.step("search what was pushed") {
            guard pushes.count == anna.count else { throw DemoFailure("there are \(pushes.count) pushes") }
            for push in pushes {
                let texts = [push.body] + push.headers.flatMap { [$0.key, $0.value] }
                guard !texts.contains(where: { holds(secret, $0) }) else { throw DemoFailure("a push has the secret") }
            }
            return "\(pushes.count) pushes, and the secret in none of them"
        }
        let id = try secureID(on: devices[0])
        try await steps.step("Bert asks for it") {
            try await expect(.notFound) { _ = try await bert.registrar.securePayload(id) }
            return "there is nothing of that id for him"
        }
        try await steps.step("nobody asks for it") {
            try await expect(.needsAuthentication) { _ = try await stranger { nil }.securePayload(id) }
            return "the app shows: You have a new message"
        }
        var shown: [(device: String, text: String)] = []
        for device in anna {
            try await steps.step("\(device.name) fetches it") {
                let payload = try await device.registrar.securePayload(try secureID(on: device))
                guard payload.text == secret else { throw DemoFailure("what it fetched is not the secret") }
                shown.append((device.name, payload.text))
                return ""
            }
        }
        for (device, text) in shown { steps.report.shows(device, text) }
    }

    private func secureID(on device: BackendDevice) throws -> DeviceRegistrar.Payload.ID {
        let ids = try device.pushed("secureId", by: emulator)
        guard ids.count == 1 else { throw DemoFailure("\(device.name) got \(ids.count) ids instead of one") }
        return try DeviceRegistrar.Payload.ID(validating: ids[0])
    }

    /// Whether a text has a secret in it, as it is or as JSON has it.
    private func holds(_ secret: String, _ text: String) -> Bool {
        let escaped = String(
            decoding: JSONValue.string(secret).bytes.dropFirst().dropLast(), as: UTF8.self)
        return text.contains(secret) || text.contains(escaped)
    }
}
