import HubLock
import NotificationHubs
import Testing

@Suite struct OutcomeSequenceTests {
    @Test func `polls until a terminal state and skips 404 responses`() async throws {
        let clock = ManualClock()
        let transport = Self.transport([nil, nil, "Enqueued", "Processing", "Unknown", "Completed", "Never"])
        var states: [PushNotification.Outcome.State?] = []
        for try await outcome in try Self.outcomes(transport, clock) { states.append(outcome.state) }
        #expect(states == [.enqueued, .processing, .unknown, .completed])
        #expect(transport.requests.count == 6)
        #expect(clock.sleeps == Array(repeating: .seconds(10), count: 5))
    }

    @Test(arguments: ["NoTargetFound", "Abandoned", "Canceled"])
    func `ends after a terminal state`(state: String) async throws {
        let transport = Self.transport([state])
        var count = 0
        for try await _ in try Self.outcomes(transport, ManualClock()) { count += 1 }
        #expect(count == 1)
        #expect(transport.requests.count == 1)
    }

    @Test func `ends at its timeout without a terminal state`() async throws {
        for state in [nil, "Unknown"] {
            let clock = ManualClock()
            let transport = Self.transport(Array(repeating: state, count: 100))
            var last: PushNotification.Outcome?
            for try await outcome in try Self.outcomes(transport, clock) { last = outcome }
            #expect(last?.state == state.map { .init(rawValue: $0) })
            #expect(transport.requests.count == 6)
            #expect(clock.sleeps.count == 5)
        }
    }

    @Test func `waits at least a second between requests`() async throws {
        let clock = ManualClock()
        let hub = try NotificationHub.scripted(Self.transport(["Enqueued", nil, "Completed"]))
        let outcomes = hub.outcomes(of: try PushNotification.ID(validating: "i"), every: .zero, clock: clock)
        for try await _ in outcomes {}
        #expect(clock.sleeps == [.seconds(1), .seconds(1)])
    }

    @Test func `throws any other failure and ends`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 403) }
        var iterator = try Self.outcomes(transport, ManualClock()).makeAsyncIterator()
        do {
            _ = try await iterator.next()
            Issue.record("nothing was thrown")
        } catch let error as HubError {
            #expect(error.code == .forbidden)
        }
        #expect(try await iterator.next() == nil)
        #expect(transport.requests.count == 1)
    }

    @Test func `ends a wait when the task is cancelled`() async throws {
        let transport = Self.transport(["Enqueued", "Enqueued"])
        let hub = try NotificationHub.scripted(transport)
        let id = try PushNotification.ID(validating: "i")
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for try await _ in hub.outcomes(of: id, every: .seconds(3600), timeout: .seconds(36000)) {
                continuation.yield()
            }
        }
        for await _ in stream { break }
        // Without cancellation, the wait lasts an hour.
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.count == 1)
    }

    private static func outcomes(_ transport: ScriptedTransport, _ clock: ManualClock) throws -> OutcomeSequence {
        try NotificationHub.scripted(transport).outcomes(
            of: PushNotification.ID(validating: "i"), every: .seconds(10), timeout: .seconds(60), clock: clock)
    }

    /// Returns a transport that responds with states in order, and with 404 for `nil`.
    private static func transport(_ states: [String?]) -> ScriptedTransport {
        let remaining = Locked(states[...])
        return ScriptedTransport { _ in
            guard let state = remaining.withLock({ $0.popFirst() }) ?? nil else { return HubResponse(status: 404) }
            return HubResponse(
                status: 200, body: Array("<NotificationDetails><State>\(state)</State></NotificationDetails>".utf8))
        }
    }
}
