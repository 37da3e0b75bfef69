import DeviceRegistration
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import PushBackend
import Testing

/// Tests of a registrar with an app backend and an emulated hub, in one process.
@Suite struct AppBackendTests {
    /// A transport that passes requests to the backend.
    private struct BackendTransport: HubTransport {
        let backend: AppBackend

        func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
            let response = await backend.respond(
                to: AppBackend.Request(
                    method: request.method.rawValue,
                    target: request.path + (request.query.isEmpty ? "" : "?" + request.query),
                    headers: request.headers, body: request.body))
            return HubResponse(status: response.status, headers: response.headers, body: response.body)
        }
    }

    private let emulator: HubEmulator
    private let hub: NotificationHub
    private let phone = PushChannel.apple(deviceToken: [0xAB, 0xCD])

    init() throws {
        emulator = HubEmulator(hubName: "push")
        hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator,
            options: .patient())
    }

    /// Returns a registrar of a signed-in user, whose password is the user's name.
    private func registrar(
        of user: String, _ mode: AppBackend.Mode = .notifyUsers(),
        storage: MemoryRegistrationIDStorage = MemoryRegistrationIDStorage(),
        sendsHandleInQuery: Bool = false
    ) throws -> DeviceRegistrar {
        let backend = AppBackend(
            hub: hub, authenticator: AppBackend.BasicAuthenticator { name, password in name == password ? name : nil },
            mode: mode)
        return DeviceRegistrar(
            backend: try DeviceRegistrar.Address("https://push.contoso.com"),
            transport: BackendTransport(backend: backend),
            storage: storage,
            sendsHandleInQuery: sendsHandleInQuery, credential: { try .basic(name: user, password: user) })
    }

    private var registrations: [Registration.Entry] {
        get async throws {
            var entries: [Registration.Entry] = []
            for try await entry in hub.registrations() { entries.append(entry) }
            return entries
        }
    }

    @Test(arguments: [false, true])
    func `registers a device once, even without a stored ID`(sendsHandleInQuery: Bool) async throws {
        // The second registrar has no stored ID, so the backend finds it by the handle.
        for _ in 0..<2 {
            try await registrar(of: "anna", sendsHandleInQuery: sendsHandleInQuery).register(phone, tags: ["news"])
        }
        let entries = try await registrations
        #expect(entries.count == 1)
        #expect(Set(entries[0].registration.tags.map(\.rawValue)) == ["news", "username:anna"])
    }

    @Test func `requests a new ID after the hub deleted the registration`() async throws {
        let storage = MemoryRegistrationIDStorage()
        let registrar = try registrar(of: "anna", storage: storage)
        try await registrar.register(phone)
        let id = try #require(storage.registrationID())
        try await hub.deleteRegistration(id)
        try await registrar.register(phone)
        #expect(storage.registrationID() != id)
        #expect(try await registrations.map(\.id) == [storage.registrationID()])
    }

    @Test func `moves the device to the next user who signs in`() async throws {
        let storage = MemoryRegistrationIDStorage()
        try await registrar(of: "anna", storage: storage).register(phone)
        try await registrar(of: "bert", storage: storage).register(phone)
        try await registrar(of: "anna").notifyOwnDevices("for anna")
        try await registrar(of: "bert").notifyOwnDevices("for bert")
        #expect(emulator.deliveries.count == 1)
        #expect(emulator.deliveries.first?.body.contains("for bert") == true)
    }

    @Test func `receives no messages after unregistering`() async throws {
        let registrar = try registrar(of: "anna")
        try await registrar.register(phone)
        try await registrar.notifyOwnDevices("hello")
        #expect(emulator.deliveries.count == 1)
        try await registrar.unregister()
        try await registrar.notifyOwnDevices("hello")
        #expect(emulator.deliveries.count == 1)
    }

    @Test func `fetches a read-once payload once per device`() async throws {
        let mode = AppBackend.Mode.securePush(store: MemoryPayloadStore(), isReadOnce: true)
        let devices = try [PushChannel.apple(deviceToken: [1]), .apple(deviceToken: [2])].map {
            ($0, try registrar(of: "anna", mode))
        }
        for (channel, device) in devices { try await device.register(channel) }
        try await devices[0].1.notifyOwnDevices("the secret")
        let body = try JSONValue(parsing: try #require(emulator.deliveries.first).body.utf8)
        guard case .object(let members) = body, case .string(let text)? = members["secureId"] else {
            Issue.record("missing ID in \(body)")
            return
        }
        let id = try DeviceRegistrar.Payload.ID(validating: text)
        for (_, device) in devices {
            #expect(try await device.securePayload(id).text == "the secret")
            await #expect { try await device.securePayload(id) } throws: {
                ($0 as? DeviceRegistrationError)?.code == .notFound
            }
        }
    }
}
