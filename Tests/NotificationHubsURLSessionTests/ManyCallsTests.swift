import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsURLSession
import SharedAccessSignature
import Testing

@Suite(.timeLimit(.minutes(10))) struct ManyCallsTests {
    /// What a busy machine may take for a call.
    static let options = NotificationHub.Options(deadline: .seconds(500), attemptTimeout: .seconds(500))

    @Test func `carries a thousand calls at once`() async throws {
        let server = try LoopbackServer(HubEmulator(hubName: try NotificationHub.Name(validating: "push")))
        defer { server.stop() }
        let hub = try NotificationHub(
            connectionString: server.connectionString, hubName: "push", transport: URLSessionTransport(),
            options: Self.options)
        try await withThrowingTaskGroup { group in
            for number in 0..<1000 {
                group.addTask {
                    let id = try Installation.ID(validating: "phone-\(number / 2)")
                    if number.isMultiple(of: 2) {
                        let channel = PushChannel.apns(deviceToken: [1, 2, 3])
                        try await hub.createOrOverwrite(Installation(id: id, pushChannel: channel, tags: ["news"]))
                    } else {
                        _ = try await hub.installationExists(id)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.emulator.installations.count == 500)
    }

    @Test func `sends each of many messages once, a few at a time`() async throws {
        let server = try RawServer(steps: { _ in
            [.wait(.milliseconds(5)), .send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")]
        })
        defer { server.stop() }
        let hub = try NotificationHub(
            connectionString: "Endpoint=sb://127.0.0.1:\(server.port)/;SharedAccessKeyName=rule;SharedAccessKey=sesame;"
                + "UseDevelopmentEmulator=true",
            hubName: "push", transport: URLSessionTransport(maximumOwnConnections: 4), options: Self.options)
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask { try await hub.send(.template(["message": "\(number)"]), to: .tag("news")) }
            }
            try await group.waitForAll()
        }
        let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(Set(bodies).count == 100)
        #expect(bodies.count == 100)
    }

    @Test func `a message that waits for a connection until its time is over was not sent`() async throws {
        let isOver = Locked(false)
        let server = try RawServer(steps: { _ in
            while !isOver.withLock({ $0 }) { usleep(1000) }
            return [.send("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")]
        })
        defer { server.stop() }
        let transport = URLSessionTransport(maximumOwnConnections: 1)
        let request = HubRequest(
            .post, endpoint: try ServiceEndpoint("http://127.0.0.1:\(server.port)", isDevelopmentEmulator: true),
            path: "/push/messages", body: [1])
        let first = Task { try await transport.send(request, timeout: .seconds(500)) }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let failure = await #expect(throws: HubTransportError.self) {
            try await transport.send(request, timeout: .milliseconds(10))
        }
        #expect(failure?.delivery == .unsent)
        #expect(failure?.isTimeout == true)
        isOver.withLock { $0 = true }
        #expect(try await first.value.status == 201)
        #expect(server.requests.count == 1)
    }
}
