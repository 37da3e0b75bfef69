@testable import HubLock
import HubServer
import HubTestSupport
import NotificationHubs
import NotificationHubsHTTP
import SharedAccessSignature
import Testing

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// Requests of the control API that wait for a change, while no other request arrives.
@Suite(.blocking, .timeLimit(.minutes(30))) struct ControlWaitTests {
    /// Changes that a waiting request reports, with its path.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: String
        /// A part of the response.
        let expected: String
        var writeDelay = Duration.zero
        let make: @Sendable (HubEmulator) async throws -> Void
    }

    private static let phone = Installation(id: "phone", pushChannel: .apple(deviceToken: [1, 2]), tags: ["news"])

    private static func send(_ hub: HubEmulator) async throws {
        _ = try await hub.makeClient().send(.apple("{}"), to: .tag("news"))
    }

    /// Waits until a request waits for a change of the hub.
    private func waitForRequest(_ hub: HubEmulator) async throws {
        while hub.changes.state.withLock({ $0.next == nil }) { try await Task.sleep(for: .milliseconds(1)) }
    }

    static let changes = [
        Change(testDescription: "a delivery", path: "deliveries", expected: #""last":1"#, make: send),
        Change(testDescription: "a delivery, on the page", path: "updates", expected: #""lastDelivery":1"#, make: send),
        Change(
            testDescription: "a queued write", path: "updates", expected: #""installationCount":2"#,
            writeDelay: .milliseconds(500)
        ) { hub in
            try await hub.makeClient().putInstallation(
                Installation(id: "tablet", pushChannel: .apple(deviceToken: [3])))
        },
    ]

    @Test(arguments: changes) func `responds to a change`(change: Change) async throws {
        let hub = HubEmulator(hubName: "push", options: .init(writeDelay: change.writeDelay))
        try hub.seed(Self.phone)
        let server = try HubEmulator.Server(hub)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        let query = "revision=\(hub.revision)&wait=60"
        client.send(
            "GET /$emulator/\(change.path)?\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        try await waitForRequest(hub)
        try await change.make(hub)
        #expect(try client.readResponse().body.contains(change.expected))
    }

    /// The seconds until a device expires, and by which the hub's clock is set forward.
    @Test(arguments: [(1.0, 0.0), (3600, 7200)])
    func `responds to work that is due during the wait`(expiry: Double, advance: Double) async throws {
        let clockError = Locked(0.0)
        let hub = HubEmulator(hubName: "push", now: { Date(timeIntervalSinceNow: clockError.withLock { $0 }) })
        try hub.seed(Self.phone)
        var tablet = Installation(id: "tablet", pushChannel: .apple(deviceToken: [3]))
        tablet.expirationTime = Date(timeIntervalSinceNow: expiry)
        try hub.seed(tablet)
        let server = try HubEmulator.Server(hub)
        defer { server.stop() }
        let client = try RawClient(port: server.port)
        client.send(
            "GET /$emulator/updates?revision=\(hub.revision)&wait=60 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"
        )
        if advance > 0 {
            try await waitForRequest(hub)
            clockError.withLock { $0 = advance }
        }
        #expect(try client.readResponse().body.contains(#""installationCount":1"#))
    }

    @Test func `responds to a request to the hub`() throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let (waiting, other) = (try RawClient(port: server.port), try RawClient(port: server.port))
        waiting.send("GET /$emulator/requests?wait=60 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        other.send("GET /push/installations/a HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
        #expect(try waiting.readResponse().body.contains(#""last":1"#))
    }

    @Test(.enabled(if: LibSSL.isAvailable)) func `responds to changes over TLS`() async throws {
        let authority = try TestAuthority()
        let hub = HubEmulator(hubName: "push")
        try hub.seed(Self.phone)
        let server = try HubEmulator.Server([hub], in: .init(identity: authority.identity()))
        defer { server.stop() }
        let transport = try HubHTTPTransport(certificateAuthorityFile: authority.file.path)
        let endpoint = try ServiceEndpoint("https://127.0.0.1:\(server.port)")
        for number in 1...5 {
            // The response arrives before the request's timeout only if the change ends the wait.
            async let response = transport.send(
                HubRequest(
                    .get, endpoint: endpoint, path: "/$emulator/deliveries", query: "after=\(number - 1)&wait=60",
                    headers: [:], body: []), timeout: .seconds(30))
            try await waitForRequest(hub)
            try await Self.send(hub)
            #expect(try await String(decoding: response.body, as: UTF8.self).contains("\"last\":\(number)"))
        }
    }
}
