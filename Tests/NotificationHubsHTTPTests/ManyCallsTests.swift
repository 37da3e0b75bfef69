import NotificationHubsEmulatorServer
import HubServer
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import NotificationHubsTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct ManyCallsTests {
    /// Options with enough time for a call on a busy machine.
    static let options = NotificationHub.Options(deadline: .seconds(500), attemptTimeout: .seconds(500))

    @Test func `handles a thousand concurrent calls`() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let hub = try NotificationHub(
            connectionString: server.connectionString, hubName: "push", transport: .http,
            options: Self.options)
        try await withThrowingTaskGroup { group in
            for number in 0..<1000 {
                group.addTask {
                    let id = try Installation.ID(validating: "phone-\(number / 2)")
                    if number.isMultiple(of: 2) {
                        let channel = PushChannel.apple(deviceToken: [1, 2, 3])
                        try await hub.putInstallation(Installation(id: id, pushChannel: channel, tags: ["news"]))
                    } else {
                        _ = try await hub.installationExists(id)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.emulator.installations.count == 500)
    }

    @Test func `sends each of many messages once over four connections`() async throws {
        let barrier = RequestBarrier(requestCount: 4)
        let server = try RawServer(steps: { _ in
            barrier.waitForOthers()
            return [.wait(.milliseconds(5)), .send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")]
        })
        defer {
            barrier.open()
            server.stop()
        }
        let hub = try NotificationHub(
            connectionString: "Endpoint=sb://127.0.0.1:\(server.port)/;SharedAccessKeyName=rule;SharedAccessKey=sesame;"
                + "UseDevelopmentEmulator=true",
            hubName: "push", transport: HubHTTPTransport(maximumConnections: 4), options: Self.options)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask { try await hub.send(.template(["message": "\(number)"]), to: .tag("news")) }
            }
            try await group.waitForAll()
        }
        let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(Set(bodies).count == 100)
        #expect(bodies.count == 100)
        #expect(server.connections == 4 || Scene.mayHaveBeenIdle(since: start))
    }
}
