import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer
import NotificationHubsHTTP
import SharedAccessSignature
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

    @Test(arguments: [nil, "https://hub.example"])
    func `rejects requests to hubs by a name that an attacker can register`(proxy: String?) async throws {
        var network = HubEmulator.Server.Network(proxy: try proxy.map { try ServiceEndpoint($0) })
        network.rejectsPublicNames = true
        let server = try HubEmulator.Server([emulator], in: network)
        defer { server.stop() }
        for (name, isAccepted) in [
            ("127.0.0.1", true), ("[::1]", true), ("192.168.1.2", true), ("localhost", true), ("devbox", true),
            ("HOST.docker.internal", true), ("contoso.servicebus.windows.net", true), ("hub_upstream", true),
            ("hub.example", proxy != nil), ("evil.example", false), ("evil.example.", false), ("a_b.example", false),
            ("servicebus.windows.net.evil.example", false), ("127.0.0.1.evil.example", false),
        ] {
            for path in ["/push/registrations", "/push/messages", "/devstoreaccount1/payloads?restype=container"] {
                for host in [name, "\(name):\(server.port)"] {
                    let client = try RawClient(port: server.port)
                    client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                    let status = try client.readResponse().status
                    #expect((status != 421) == isAccepted, "\(host) \(path): \(status)")
                }
            }
        }
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
