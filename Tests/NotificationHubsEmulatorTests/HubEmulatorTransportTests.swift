import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite struct HubEmulatorTransportTests {
    @Test func `is a hub for a client in the same process, in three lines`() async throws {
        let emulator = try HubEmulator(named: "push")
        let hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator,
            options: .patient())
        let shown = { emulator.deliveries.map(\.body) }

        try await hub.createOrOverwrite(
            Installation(id: Installation.ID(), pushChannel: .apns(deviceToken: [1, 2]), tags: ["news"]))
        try await hub.send(.apple(#"{"aps":{"alert":"Hello"}}"#), to: .tag("news"))
        #expect(shown() == [#"{"aps":{"alert":"Hello"}}"#])
    }

    @Test func `refuses as the service does`() async throws {
        let emulator = try HubEmulator(named: "push")
        let hub = try NotificationHub(
            connectionString: emulator.connectionString(for: emulator.policies[1]), hubName: "push",
            transport: emulator,
            options: .patient())
        let error = await #expect(throws: HubError.self) { try await hub.send(.template([:]), to: .everyone) }
        #expect(error?.code == .forbidden)
    }

    @Test func `carries out at once what it is seeded with, and tells its log what it remarks`() async throws {
        let remarks = Locked<[HubEmulator.Remark]>([])
        let options = HubEmulator.Options(writeDelay: .seconds(3600)) { remark in
            remarks.withLock { $0.append(remark) }
        }
        let emulator = try HubEmulator(named: "push", options: options)
        try emulator.seed(Installation(id: Installation.ID(), pushChannel: .apns(deviceToken: [1]), tags: ["news"]))
        #expect(emulator.installations.count == 1)
        let hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator,
            options: .patient())
        try await hub.send(.apple(#"{"aps":{}}"#), to: .everyone)
        #expect(!emulator.remarks.isEmpty)
        #expect(remarks.withLock { $0 } == emulator.remarks)
    }
}
