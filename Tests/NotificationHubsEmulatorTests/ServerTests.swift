import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import Testing

@Suite(.blocking, .timeLimit(.minutes(30))) struct ServerTests {
    let emulator: HubEmulator
    let id = Installation.ID.random()

    init() throws {
        emulator = HubEmulator(hubName: "push")
    }

    @Test func `serves the tutorial's requests over HTTP`() async throws {
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let hub = try NotificationHub(
            connectionString: server.connectionString, hubName: "push", transport: .http,
            options: .patient())

        let phone = Installation(
            id: id, pushChannel: .apple(deviceToken: [1, 2]), tags: ["news"],
            templates: ["alert": Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)])

        #expect(await code { try await hub.installation(id) } == .notFound)
        try await hub.putInstallation(phone)
        let stored = try await hub.installation(id)
        #expect(stored.isPushChannelExpired == false)
        #expect(stored.expirationTime == nil)
        #expect(stored.templates["alert"]?.tags == ["alert"])

        let receipt = try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
        let delivery = try #require(emulator.deliveries.first)
        #expect(delivery.body == #"{"aps":{"alert":"Hello"}}"#)
        #expect(delivery.notificationID == receipt.notificationID)
        #expect((delivery.installationID, delivery.pushChannel) == (id, phone.pushChannel))

        try await hub.deleteInstallation(id)
        #expect(await code { try await hub.installation(id) } == .notFound)
        _ = try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
        #expect(emulator.deliveries.count == 1)
    }

    @Test func `reports a port that is in use`() throws {
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let error = #expect(throws: HubEmulator.Server.Error.self) {
            try HubEmulator.Server(emulator, port: server.port)
        }
        #expect(error?.description == "cannot listen on 127.0.0.1:\(server.port): Address already in use")
    }

    @Test func `releases the port when it stops with a connected client`() async throws {
        let port = try ReservedPort()
        let first = try HubEmulator.Server(emulator, port: port.number)
        let hub = try NotificationHub(
            connectionString: first.connectionString, hubName: "push", transport: .http,
            options: .patient())
        #expect(await code { try await hub.installation(id) } == .notFound)
        first.stop()
        #expect(throws: RawClient.ConnectionError.self) { try RawClient(port: port.number) }
        let second = try HubEmulator.Server(emulator, port: port.number)
        #expect(await code { try await hub.installation(id) } == .notFound)
        second.stop()
        second.stop()
    }

    @Test func `stops when it is deallocated`() throws {
        let port = try ReservedPort()
        _ = try HubEmulator.Server(emulator, port: port.number)
        #expect(throws: RawClient.ConnectionError.self) { try RawClient(port: port.number) }
        let second = try HubEmulator.Server(emulator, port: port.number)
        second.stop()
    }

    private func code(_ call: () async throws -> some Any) async -> HubError.Code? {
        do {
            _ = try await call()
            return nil
        } catch {
            return (error as? HubError)?.code
        }
    }
}
