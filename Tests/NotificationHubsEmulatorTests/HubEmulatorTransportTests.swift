import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite struct HubEmulatorTransportTests {
    @Test func `serves a client in the same process`() async throws {
        let emulator = HubEmulator(hubName: "push")
        let hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator,
            options: .patient())
        let bodies = { emulator.deliveries.map(\.body) }

        try await hub.putInstallation(
            Installation(id: Installation.ID.random(), pushChannel: .apple(deviceToken: [1, 2]), tags: ["news"]))
        _ = try await hub.send(.apple(#"{"aps":{"alert":"Hello"}}"#), to: .tag("news"))
        #expect(bodies() == [#"{"aps":{"alert":"Hello"}}"#])
    }

    @Test func `applies a client's patches to templates and tiles`() async throws {
        let emulator = HubEmulator(hubName: "push")
        let hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator, options: .patient())
        let headers = ["X-WNS-Type": "wns/toast"]
        let template = Installation.Template(body: "<toast>1</toast>", headers: headers, expiry: .expression("$(e)"))
        var device = Installation(
            id: Installation.ID.random(), pushChannel: .windows(channelURI: "https://w/1"), templates: ["a/b": template]
        )
        device.secondaryTiles["s"] = .init(pushChannel: "https://w/2", tags: ["x"], templates: ["t": template])
        try emulator.seed(device)
        try await hub.updateInstallation(
            device.id,
            with: [
                .changeTemplate("a/b", .setBody("<toast>2</toast>")), .changeTemplate("a/b", .removeExpiry),
                .changeTemplate("a/b", .setHeader("X-WNS-Tag", to: "g")),
                .changeTemplate("a/b", .tags(.set(["y", "z"]))),
                .changeSecondaryTile("s", .setPushChannel(.windows(channelURI: "https://w/3"))),
                .changeSecondaryTile("s", .tags(.remove(["x"]))),
                .changeSecondaryTile("s", .changeTemplate("t", .setHeaders(["X-WNS-Type": "wns/tile"]))),
                .changeSecondaryTile("s", .changeTemplate("t", .setBody("<tile/>"))),
            ])
        let changed = try #require(emulator.installations.first)
        #expect(changed.templates["a/b"]?.body == "<toast>2</toast>")
        #expect(changed.templates["a/b"]?.headers == ["X-WNS-Type": "wns/toast", "X-WNS-Tag": "g"])
        #expect(changed.templates["a/b"]?.tags == ["y", "z"])
        #expect(changed.templates["a/b"]?.expiry == nil)
        let tile = try #require(changed.secondaryTiles["s"])
        #expect(tile.pushChannel == "https://w/3")
        #expect(tile.tags.isEmpty)
        #expect(tile.templates["t"]?.headers == ["X-WNS-Type": "wns/tile"])
        #expect(tile.templates["t"]?.body == "<tile/>")
    }

    @Test func `rejects a send with a listen key`() async throws {
        let emulator = HubEmulator(hubName: "push")
        let hub = try NotificationHub(
            connectionString: emulator.connectionString(for: emulator.policies[1]), hubName: "push",
            transport: emulator,
            options: .patient())
        let error = await #expect(throws: HubError.self) { try await hub.send(.template([:]), to: .everyone) }
        #expect(error?.code == .forbidden)
    }

    @Test func `stores seeds immediately and reports warnings to its observer`() async throws {
        let warnings = Locked<[HubEmulator.Warning]>([])
        let options = HubEmulator.Options(writeDelay: .seconds(3600)) { warning in
            warnings.withLock { $0.append(warning) }
        }
        let emulator = HubEmulator(hubName: "push", options: options)
        try emulator.seed(
            Installation(id: Installation.ID.random(), pushChannel: .apple(deviceToken: [1]), tags: ["news"]))
        #expect(emulator.installations.count == 1)
        let hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator,
            options: .patient())
        _ = try await hub.send(.apple(#"{"aps":{}}"#), to: .everyone)
        #expect(!emulator.warnings.isEmpty)
        #expect(warnings.withLock { $0 } == emulator.warnings)
    }
}
