import HubTestSupport
import NotificationHubs
import NotificationHubsHTTP
import Testing

@testable import NotificationHubsEmulator

/// What clients see of faults, in the same process and by HTTP.
@Suite(.timeLimit(.minutes(30))) struct FaultEffectTests {
    enum Way: CaseIterable {
        case inProcess
        case byHTTP
    }

    static let phone = #"{"installationId":"phone","platform":"apns","pushChannel":"00fc13ad"}"#

    @Test(arguments: Way.allCases)
    func `a status comes with the time to wait, and the request is not carried out`(way: Way) async throws {
        try await with("PUT / status=429 retry-after=1500ms", way) { emulator, hub in
            let error = await #expect(throws: HubError.self) { try await put(hub) }
            #expect(error?.code == .throttled)
            #expect(error?.retryAfter == .seconds(2))
            #expect(emulator.installations.isEmpty)
        }
    }

    @Test(arguments: Way.allCases, [("before", 0), ("after", 1)])
    func `a reset leaves the client without an answer, the request carried out or not`(way: Way, when: (String, Int))
        async throws
    {
        try await with("/ reset=\(when.0)", way) { emulator, hub in
            let error = await #expect(throws: HubError.self) { try await put(hub) }
            #expect(error?.code == .connectionFailed)
            #expect(emulator.installations.count == when.1)
            let message = await #expect(throws: HubError.self) {
                try await hub.send(.template(["a": "b"]), to: .everyone)
            }
            #expect(message?.code == .mayHaveBeenAccepted)
        }
    }

    @Test(arguments: Way.allCases)
    func `a stall lasts until the client gives up, and nothing is carried out`(way: Way) async throws {
        try await with("/ stall", way, attemptTimeout: .milliseconds(200)) { emulator, hub in
            let error = await #expect(throws: HubError.self) { try await put(hub) }
            #expect(error?.code == .timedOut)
            #expect(emulator.installations.isEmpty)
        }
    }

    @Test(arguments: Way.allCases)
    func `a latency delays the answer`(way: Way) async throws {
        try await with("/ latency=50ms", way) { emulator, hub in
            let start = ContinuousClock.now
            try await put(hub)
            #expect(ContinuousClock.now - start >= .milliseconds(50))
            #expect(emulator.installations.count == 1)
        }
    }

    @Test(arguments: Way.allCases)
    func `a latency may be longer than the client waits`(way: Way) async throws {
        try await with("/ latency=20s", way, attemptTimeout: .milliseconds(200)) { _, hub in
            let error = await #expect(throws: HubError.self) { try await put(hub) }
            #expect(error?.code == .timedOut)
        }
    }

    @Test(arguments: Way.allCases)
    func `a fault that triggers only once is outlived by a retry`(way: Way) async throws {
        try await with("PUT / status=503 retry-after=0s nth=1", way, retry: .init()) { emulator, hub in
            try await put(hub)
            #expect(emulator.installations.count == 1)
            #expect(emulator.faultCounts.map(\.matched) == [2])
        }
    }

    @Test func `the time in an answer is the hub's`() async throws {
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

    @Test func `a stall ends when its task is cancelled`() async throws {
        try await with("/ stall", .inProcess) { _, hub in
            let call = Task { try await put(hub) }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    private func put(_ hub: NotificationHub) async throws {
        try await hub.putInstallation(Installation(json: Self.phone.utf8))
    }

    private func with(
        _ fault: String, _ way: Way, attemptTimeout: Duration? = nil, retry: RetryPolicy = .never,
        _ body: (HubEmulator, NotificationHub) async throws -> Void
    ) async throws {
        let emulator = HubEmulator(hubName: "push")
        emulator.faults = [try HubEmulator.Fault(fault)]
        var options = NotificationHub.Options.patient(retry: retry)
        if let attemptTimeout { options.attemptTimeout = attemptTimeout }
        switch way {
        case .inProcess:
            try await body(
                emulator,
                try NotificationHub(
                    connectionString: emulator.connectionString, hubName: "push", transport: emulator, options: options)
            )
        case .byHTTP:
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
