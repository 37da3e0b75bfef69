import HubLock
import HubTestSupport
import NotificationHubs
import SharedAccessSignature
import Testing

/// Calls with all their attempts, on a simulated clock.
@Suite struct CallTests {
    let id: Installation.ID
    private let delays = Locked<[Duration]>([])
    private let events = Locked<[HubEvent]>([])

    init() throws {
        id = try Installation.ID(validating: "phone-12345")
    }

    @Test func `retries an idempotent call until it succeeds`() async throws {
        let transport = replies([.status(503), .status(429, ["Retry-After": "7"]), .lost(.unknown), .status(204)])
        try await hub(transport).deleteInstallation(id)
        #expect(transport.requests.count == 4)
        #expect(transport.requests.allSatisfy { $0.headers["User-Agent"] == "swift-notification-hubs" })
        #expect(delays.withLock { $0 } == [.seconds(1), .seconds(7), .seconds(4)])
    }

    @Test(arguments: [
        (Reply.lost(.unknown), true), (.status(500), true), (.status(408), true), (.lost(.notSent), false),
        (.status(429), false),
    ])
    func `treats 404 for a DELETE as success only if an earlier attempt may have succeeded`(
        first: Reply, isDeleted: Bool
    ) async throws {
        let hub = try hub(replies([first, .status(404)]))
        var code: HubError.Code?
        do { try await hub.deleteInstallation(id) } catch let error as HubError { code = error.code }
        #expect(code == (isDeleted ? nil : .notFound))
    }

    @Test(arguments: [Reply.lost(.unknown), .status(503), .status(500), .status(504), .status(408), .status(202)])
    func `does not retry a message that may have been accepted`(reply: Reply) async throws {
        let transport = replies([reply, .status(201)])
        let error = await #expect(throws: HubError.self) {
            try await hub(transport).send(.template([:]), to: .tag("t"))
        }
        #expect(transport.requests.count == 1)
        #expect(error?.code == .mayHaveBeenAccepted)
    }

    @Test func `throws mayHaveBeenAccepted if an attempt before the last may have succeeded`() async throws {
        let transport = replies([.status(503), .status(400)])
        let options = NotificationHub.Options(retry: RetryPolicy(resendsMessagesWhenBusy: true))
        let error = await #expect(throws: HubError.self) {
            try await hub(transport, options).send(.template([:]), to: .tag("t"))
        }
        #expect(transport.requests.count == 2)
        #expect(error?.code == .mayHaveBeenAccepted)
        #expect(error?.status == 400)
    }

    @Test(arguments: [Reply.lost(.notSent), .status(429), .status(403, ["Retry-After": "1"])])
    func `retries a message that was not accepted`(reply: Reply) async throws {
        let transport = replies([reply, .status(201)])
        _ = try await hub(transport).send(.template([:]), to: .tag("t"))
        #expect(transport.requests.count == 2)
    }

    @Test func `gives up after the policy's attempts and reports their number`() async throws {
        let transport = replies([Reply](repeating: .status(503, ["Retry-After": "2", "TrackingId": "t"]), count: 9))
        let error = await #expect(throws: HubError.self) { try await hub(transport).deleteInstallation(id) }
        #expect(transport.requests.count == 4)
        #expect(error?.code == .serviceFailed)
        #expect(error?.attemptCount == 4)
        #expect(error?.retryAfter == .seconds(2))
        #expect(error?.description.hasSuffix("[tracking ID t] [after 4 attempts] [retry after 2 seconds]") == true)
    }

    @Test func `gives up if the delay would exceed the deadline`() async throws {
        let transport = replies([.status(429, ["Retry-After": "3600"]), .status(204)])
        let error = await #expect(throws: HubError.self) { try await hub(transport).deleteInstallation(id) }
        #expect(error?.code == .throttled)
        #expect(error?.retryAfter == .seconds(3600))
        #expect(delays.withLock { $0 }.isEmpty)
    }

    @Test func `limits each attempt to its timeout and to the time until the deadline`() async throws {
        let timeouts = Locked<[Duration]>([])
        let transport = ScriptedTransport(onAttempt: { timeout in timeouts.withLock { $0.append(timeout) } }) { _ in
            HubResponse(status: 503, headers: ["Retry-After": "20"])
        }
        await #expect(throws: HubError.self) { try await hub(transport).deleteInstallation(id) }
        #expect(timeouts.withLock { $0 } == [.seconds(15), .seconds(15), .seconds(15)])
        timeouts.withLock { $0 = [] }
        let short = NotificationHub.Options(deadline: .seconds(25))
        await #expect(throws: HubError.self) { try await hub(transport, short).deleteInstallation(id) }
        #expect(timeouts.withLock { $0 } == [.seconds(15), .seconds(5)])
    }

    @Test func `requests a new token once if the service reports an expired one`() async throws {
        let transport = replies([
            .status(401, [:], "40106: Expired"), .status(401, [:], "40106: Expired"), .status(204),
        ])
        let requestCount = Locked(0)
        let tokens = SASFetchingSource { resource in
            let number = requestCount.withLock {
                $0 += 1
                return $0
            }
            return SASSigner(key: TokenTests.primary, resource: resource).token(
                expiringAt: 9_000_000_000 + Int64(number))
        }
        let options = NotificationHub.Options(observer: { [events] event in events.withLock { $0.append(event) } })
        let error = await #expect(throws: HubError.self) {
            try await hub(transport, options, tokens: tokens).deleteInstallation(id)
        }
        #expect(error?.code == .unauthorized)
        #expect(transport.requests.count == 2)
        #expect(requestCount.withLock { $0 } == 2)
        let seen = events.withLock { $0 }
        #expect(seen.map(\.phase) == [.started, .retrying(after: .zero), .started, .finished])
        #expect(seen.map(\.attempt) == [1, 1, 2, 2])
        #expect(seen.last?.failure == .unauthorized)
    }

    @Test func `stops waiting immediately when cancelled`() async throws {
        let transport = replies([Reply](repeating: .status(503), count: 9))
        var options = NotificationHub.Options.patient(retry: RetryPolicy(firstDelay: .seconds(3600)))
        options.observer = { [events] event in events.withLock { $0.append(event) } }
        let hub = try NotificationHub(
            endpoint: try ServiceEndpoint(namespace: "contoso"), hubName: "push",
            tokens: SASSigningSource(key: TokenTests.primary), transport: transport, options: options)
        let call = Task { [id] in try await hub.deleteInstallation(id) }
        while transport.requests.isEmpty { await Task.yield() }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requests.count == 1)
        #expect(events.withLock { $0.last?.phase } == .abandoned)
        #expect(events.withLock { $0.last?.attempt } == 1)
    }

    @Test func `does not start a cancelled call`() async throws {
        let transport = replies([.status(204)])
        let options = NotificationHub.Options(observer: { [events] event in events.withLock { $0.append(event) } })
        let hub = try hub(transport, options)
        let call = Task { [id] in
            while !Task.isCancelled { await Task.yield() }
            try await hub.deleteInstallation(id)
        }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requests.isEmpty)
        #expect(events.withLock { $0 }.isEmpty)
    }

    @Test func `does not start an attempt if it is cancelled after a wait`() async throws {
        let transport = replies([.status(503), .status(204)])
        let options = NotificationHub.Options(observer: { [events] event in events.withLock { $0.append(event) } })
        let hub = try hub(transport, options, afterSleep: cancelCurrentTask)
        let call = Task { [id] in try await hub.deleteInstallation(id) }
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requests.count == 1)
        #expect(events.withLock { $0.map(\.phase) } == [.started, .retrying(after: .seconds(1)), .abandoned])
    }

    @Test func `throws the hub's error if it is cancelled during the last attempt`() async throws {
        let transport = ScriptedTransport { _ in
            cancelCurrentTask()
            return HubResponse(status: 400)
        }
        let hub = try hub(transport)
        let call = Task { [id] in try await hub.deleteInstallation(id) }
        let error = await #expect(throws: HubError.self) { try await call.value }
        #expect(error?.code == .badRequest)
    }

    @Test func `abandons a call whose token source fails before a retry`() async throws {
        let transport = replies([.status(429), .status(204)])
        let options = NotificationHub.Options(observer: { [events] event in events.withLock { $0.append(event) } })
        let hub = try hub(transport, options, tokens: LimitedTokens(count: 1))
        await #expect(throws: LimitedTokens.NoTokenError.self) { try await hub.deleteInstallation(id) }
        #expect(transport.requests.count == 1)
        #expect(events.withLock { $0.map(\.phase) } == [.started, .retrying(after: .seconds(1)), .abandoned])
    }

    @Test func `finishes a rejected call without a retry if there is no other token`() async throws {
        let transport = replies([.status(401, [:], "40106: Expired"), .status(204)])
        let options = NotificationHub.Options(observer: { [events] event in events.withLock { $0.append(event) } })
        let error = await #expect(throws: HubError.self) {
            try await hub(transport, options, tokens: LimitedTokens(count: 1)).deleteInstallation(id)
        }
        #expect(error?.code == .unauthorized)
        #expect(events.withLock { $0.map(\.phase) } == [.started, .finished])
    }

    /// The service's date 8 hours after the epoch, which is the client's time.
    private static let ahead: HubHeaders = ["Date": "Thu, 01 Jan 1970 08:00:00 GMT"]

    @Test func `reports the difference between the clocks`() async throws {
        let options = NotificationHub.Options(observer: { [events] event in events.withLock { $0.append(event) } })
        try await hub(replies([.status(204, Self.ahead)]), options).deleteInstallation(id)
        #expect(events.withLock { $0.map(\.clockSkew) } == [nil, .seconds(8 * 3600)])
    }

    @Test func `signs again for the service's time if the service reports an expired token`() async throws {
        let transport = replies([.status(401, Self.ahead, "40106: Expired"), .status(204)])
        try await hub(transport).deleteInstallation(id)
        let expiries = transport.requests.compactMap {
            $0.headers["Authorization"]?.firstMatch(of: /&se=([0-9]+)/).flatMap { Int64($0.1) }
        }
        let difference = try #require(expiries.last) - (try #require(expiries.first))
        #expect(expiries.count == 2 && abs(difference - 8 * 3600) <= 3600, "\(difference)")
    }

    @Test func `reports each step to the observer without IDs`() async throws {
        let transport = replies([
            .status(503, ["TrackingId": "t-1"]), .lost(.notSent), .status(200, ["TrackingId": "t-2"]),
        ])
        let options = NotificationHub.Options(observer: { [events] event in events.withLock { $0.append(event) } })
        await #expect(throws: HubError.self) { try await hub(transport, options).installation(id) }
        let seen = events.withLock { $0 }
        #expect(seen.map(\.attempt) == [1, 1, 2, 2, 3, 3])
        #expect(
            seen.map(\.phase) == [
                .started, .retrying(after: .seconds(1)), .started, .retrying(after: .seconds(2)), .started, .finished,
            ])
        #expect(seen.map(\.status) == [nil, 503, nil, nil, nil, 200])
        #expect(seen.map(\.failure) == [nil, .serviceFailed, nil, .connectionFailed, nil, nil])
        #expect(seen.map(\.trackingID) == [nil, "t-1", nil, nil, nil, "t-2"])
        #expect(seen.map(\.duration) == [0, 0, 1, 1, 3, 3].map { .seconds($0) })
        #expect(seen.allSatisfy { $0.pathTemplate == "/installations/{id}" && $0.method == .get })
        #expect(seen.allSatisfy { $0.operation.rawValue == "installation" })
        #expect(Set(seen.map(\.callID)).count == 1)
        #expect(!"\(seen)".contains("phone-"))
    }

    @Test(arguments: ["jobs", "messages", "installations", "tags"])
    func `reports a path template for an ID that equals a path segment`(id: String) async throws {
        let options = NotificationHub.Options(observer: { [events] event in events.withLock { $0.append(event) } })
        let hub = try hub(replies([.status(204), .status(204)]), options)
        for _ in 0..<2 { try await hub.deleteInstallation(Installation.ID(validating: id)) }
        let seen = events.withLock { $0 }
        #expect(seen.allSatisfy { $0.pathTemplate == "/installations/{id}" && $0.operation == "deleteInstallation" })
        #expect(Set(seen.map(\.callID)).count == 2)
    }

    /// A scripted response or failure.
    enum Reply: Sendable {
        case status(Int, HubHeaders = [:], String = "")
        case lost(HubTransportError.Delivery)
    }

    private func replies(_ replies: [Reply]) -> ScriptedTransport {
        let remaining = Locked(replies[...])
        return ScriptedTransport { _ in
            switch remaining.withLock({ $0.popFirst() }) {
            case .status(let status, let headers, let body):
                return HubResponse(status: status, headers: headers, body: Array(body.utf8))
            case .lost(let delivery): throw HubTransportError("lost", delivery: delivery)
            case nil: throw HubTransportError("no reply left", delivery: .unknown)
            }
        }
    }

    private func hub(
        _ transport: ScriptedTransport, _ options: NotificationHub.Options = NotificationHub.Options(),
        tokens: any SASTokenSource = SASSigningSource(key: TokenTests.primary),
        afterSleep: @escaping @Sendable () -> Void = {}
    ) throws -> NotificationHub {
        let elapsed = Locked(Duration.seconds(1000))
        let time = CallTime(
            elapsed: { elapsed.withLock { $0 } },
            sleep: { [delays] duration in
                try Task.checkCancellation()
                delays.withLock { $0.append(duration) }
                elapsed.withLock { $0 += duration }
                afterSleep()
            },
            timer: { _ in try await Task.sleep(for: .seconds(100_000)) }, random: { 1 }, now: { 0 })
        return try NotificationHub(
            endpoint: try ServiceEndpoint(namespace: "contoso"), name: try NotificationHub.Name(validating: "push"),
            tokens: tokens, transport: transport, options: options, time: time)
    }
}
