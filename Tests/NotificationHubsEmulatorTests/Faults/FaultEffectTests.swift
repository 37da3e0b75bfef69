import NotificationHubsEmulatorServer
import HubTestSupport
import NotificationHubs
import NotificationHubsHTTP
import Testing

@testable import NotificationHubsEmulator

/// Tests the effects of faults on clients, in process and over HTTP.
@Suite(.blocking, .timeLimit(.minutes(30))) struct FaultEffectTests {
    enum TransportKind: CaseIterable {
        case inProcess
        case http
    }

    static let phone = #"{"installationId":"phone","platform":"apns","pushChannel":"00fc13ad"}"#

    @Test(arguments: TransportKind.allCases)
    func `returns a status with Retry-After without performing the request`(transport: TransportKind) async throws {
        try await with("PUT / status=429 retry-after=1500ms", transport) { emulator, hub in
            let error = await #expect(throws: HubError.self) { try await put(hub) }
            #expect(error?.code == .throttled)
            #expect(error?.retryAfter == .seconds(2))
            #expect(emulator.installations.isEmpty)
        }
    }

    @Test(arguments: TransportKind.allCases, [("before", 0), ("after", 1)])
    func `resets the connection before or after the request`(
        transport: TransportKind, when: (String, Int)
    ) async throws {
        try await with("/ reset=\(when.0)", transport) { emulator, hub in
            let error = await #expect(throws: HubError.self) { try await put(hub) }
            #expect(error?.code == .connectionFailed)
            #expect(emulator.installations.count == when.1)
            let message = await #expect(throws: HubError.self) {
                try await hub.send(.template(["a": "b"]), to: .everyone)
            }
            #expect(message?.code == .mayHaveBeenAccepted)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `stalls until the client times out without performing the request`(transport: TransportKind) async throws {
        try await with("/ stall", transport, attemptTimeout: .milliseconds(200)) { emulator, hub in
            let error = await #expect(throws: HubError.self) { try await put(hub) }
            #expect(error?.code == .timedOut)
            #expect(emulator.installations.isEmpty)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `delays the response`(transport: TransportKind) async throws {
        try await with("/ latency=50ms", transport) { emulator, hub in
            let start = ContinuousClock.now
            try await put(hub)
            #expect(ContinuousClock.now - start >= .milliseconds(50))
            #expect(emulator.installations.count == 1)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `supports a latency longer than the client's timeout`(transport: TransportKind) async throws {
        try await with("/ latency=20s", transport, attemptTimeout: .milliseconds(200)) { _, hub in
            let error = await #expect(throws: HubError.self) { try await put(hub) }
            #expect(error?.code == .timedOut)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `lets a retry succeed after a one-time fault`(transport: TransportKind) async throws {
        try await with("PUT / status=503 retry-after=0s nth=1", transport, retry: .init()) { emulator, hub in
            try await put(hub)
            #expect(emulator.installations.count == 1)
            #expect(emulator.faultCounts.map(\.matched) == [2])
        }
    }

    @Test func `uses the hub's clock in error responses`() async throws {
        let emulator = HubEmulator(hubName: "push") { Scene.start }
        emulator.faults = [try HubEmulator.Fault("/ status=500")]
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        for request in ["GET /push/x", "TRACE /push/x"] {
            let client = try RawClient(port: server.port)
            client.send("\(request) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            let text = client.readToEnd().text
            #expect(text.contains("TimeStamp:1/1/2030 12:00:00 AM"))
        }
    }

    @Test func `ends a stall when the task is cancelled`() async throws {
        try await with("/ stall", .inProcess) { emulator, hub in
            let call = Task { try await put(hub) }
            while emulator.faultCounts.map(\.triggered) != [1] { try await Task.sleep(for: .milliseconds(1)) }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    private func put(_ hub: NotificationHub) async throws {
        try await hub.putInstallation(Installation(json: Self.phone.utf8))
    }

    private func with(
        _ fault: String, _ transport: TransportKind, attemptTimeout: Duration? = nil, retry: RetryPolicy = .never,
        _ body: (HubEmulator, NotificationHub) async throws -> Void
    ) async throws {
        let emulator = HubEmulator(hubName: "push")
        emulator.faults = [try HubEmulator.Fault(fault)]
        var options = NotificationHub.Options.patient(retry: retry)
        if let attemptTimeout { options.attemptTimeout = attemptTimeout }
        switch transport {
        case .inProcess:
            try await body(
                emulator,
                try NotificationHub(
                    connectionString: emulator.connectionString, hubName: "push", transport: emulator, options: options)
            )
        case .http:
            let server = try HubEmulator.Server(emulator)
            defer { server.stop() }
            try await body(
                emulator,
                try NotificationHub(
                    connectionString: server.connectionString, hubName: "push", transport: .http,
                    options: options))
        }
    }
}
