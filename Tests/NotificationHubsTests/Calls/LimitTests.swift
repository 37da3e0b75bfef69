import HubLock
import NotificationHubs
import SharedAccessSignature
import Testing

/// Calls with token sources and transports that violate their contracts. Time limits expire only where a test requires it.
@Suite(.timeLimit(.minutes(30))) struct LimitTests {
    struct UnrelatedError: Error {}

    @Test func `times out without sending if the token source does not respond`() async throws {
        let transport = ScriptedTransport.accepting()
        let hub = try hub(tokens: BlockingTokens(), transport: transport, isExpired: { $0 == .seconds(60) })
        let error = await #expect(throws: HubError.self) { try await hub.send(.template([:]), to: .tag("t")) }
        #expect(error?.code == .timedOut)
        #expect(error?.attemptCount == 0)
        let report = try await hub.send(.apple("{}"), to: .devices([.apple(hexDeviceToken: "AB")]))
        #expect(report.chunks.map(\.status) == [.notSent])
        #expect(transport.requests.isEmpty)
    }

    @Test func `reports the hub's rejection if no other token arrives in time`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 401) }
        let tokens = BlockingTokens(count: 1)
        let hub = try hub(
            tokens: tokens, transport: transport,
            isExpired: { limit in
                while tokens.requestCount < 2 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                return limit == .seconds(60)
            })
        let error = await #expect(throws: HubError.self) { try await hub.installation(Installation.ID.random()) }
        #expect(error?.code == .unauthorized)
    }

    @Test func `stops immediately if cancelled while waiting for another token`() async throws {
        let tokens = BlockingTokens(count: 1)
        let hub = try hub(tokens: tokens, transport: ScriptedTransport { _ in HubResponse(status: 401) })
        let call = Task { try await hub.send(.template([:]), to: .tag("t")) }
        while tokens.requestCount < 2 { await Task.yield() }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func `stops immediately if cancelled, even if the token source ignores cancellation`() async throws {
        let tokens = BlockingTokens(count: 0)
        let hub = try hub(tokens: tokens, transport: BlockingTransport())
        let call = Task { try await hub.send(.template([:]), to: .tag("t")) }
        while tokens.requestCount == 0 { await Task.yield() }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func `does not send after the deadline`() async throws {
        let transport = ScriptedTransport.accepting()
        let hub = try hub(tokens: Self.signing, transport: transport, deadline: .zero)
        let error = await #expect(throws: HubError.self) { try await hub.send(.template([:]), to: .tag("t")) }
        #expect(error?.code == .timedOut)
        #expect(transport.requests.isEmpty)
    }

    @Test func `treats an unrelated error of the transport as unknown delivery`() async throws {
        let transport = ScriptedTransport { _ in throw UnrelatedError() }
        let hub = try hub(tokens: Self.signing, transport: transport)
        let error = await #expect(throws: HubError.self) { try await hub.send(.template([:]), to: .tag("t")) }
        #expect(error?.code == .mayHaveBeenAccepted)
        #expect(transport.requests.count == 1)
        let report = try await hub.send(.apple("{}"), to: .devices([.apple(hexDeviceToken: "AB")]))
        #expect(!report.canRetry, "a retry could send the message twice")
    }

    @Test func `reports a cancelled call to the observer as abandoned`() async throws {
        let events = Locked<[HubEvent]>([])
        let transport = BlockingTransport()
        let hub = try hub(
            tokens: Self.signing, transport: transport,
            observer: { event in events.withLock { $0.append(event) } })
        let call = Task { try await hub.send(.template([:]), to: .tag("t")) }
        while transport.count == 0 { await Task.yield() }
        call.cancel()
        _ = await call.result
        #expect(events.withLock { $0.map(\.phase) } == [.started, .abandoned])
        #expect(events.withLock { $0.map(\.attempt) } == [1, 1])
    }

    @Test(arguments: [true, false])
    func `reports a chunk as uncertain if a resend fails for lack of a token`(isCancelled: Bool) async throws {
        // The service may have accepted the message before it responded with 503.
        let transport = ScriptedTransport { _ in HubResponse(status: 503) }
        let tokens = OneToken(error: isCancelled ? CancellationError() : UnrelatedError())
        let hub = try hub(
            tokens: tokens, transport: transport, retry: RetryPolicy(resendsMessagesWhenBusy: true))
        let report = try await hub.send(.apple("{}"), to: .devices([.apple(hexDeviceToken: "AB")]))
        guard case .uncertain? = report.chunks.first?.status else {
            Issue.record("\(report.chunks)")
            return
        }
        #expect((report.stopError is CancellationError) == isCancelled)
        #expect(transport.requests.count == 1)
    }

    @Test func `throws the token source's error if it fails before a retry`() async throws {
        // The service certainly accepted nothing.
        let transport = ScriptedTransport { _ in HubResponse(status: 429) }
        let hub = try hub(tokens: OneToken(error: UnrelatedError()), transport: transport)
        await #expect(throws: UnrelatedError.self) { try await hub.send(.template([:]), to: .tag("t")) }
        #expect(transport.requests.count == 1)
    }

    @Test func `does not start a timer if the token is cached`() async throws {
        let timer = BlockingTransport()
        let tokens = SASFetchingSource {
            SASSigner(key: TokenTests.primary, resource: $0).token(validFor: .seconds(3600))
        }
        _ = try await tokens.token(for: "https://contoso.servicebus.windows.net/push")
        for tokens in [Self.signing, tokens] as [any SASTokenSource] {
            let hub = try hub(
                tokens: tokens, transport: ScriptedTransport.accepting(),
                isExpired: { _ in
                    try await timer.block()
                    return true
                })
            _ = try await hub.send(.template([:]), to: .tag("t"))
        }
        #expect(timer.count == 0)
    }

    @Test func `cancels the timer after fetching a token`() async throws {
        let timer = BlockingTransport()
        let tokens = SASFetchingSource { resource in
            while timer.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
            return SASSigner(key: TokenTests.primary, resource: resource).token(validFor: .seconds(3600))
        }
        let hub = try hub(
            tokens: tokens, transport: ScriptedTransport.accepting(),
            isExpired: { _ in
                try await timer.block()
                return true
            })
        _ = try await hub.send(.template([:]), to: .tag("t"))
        while timer.cancelledCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(timer.count == 1)
    }

    static let signing = SASSigningSource(key: TokenTests.primary)

    /// Creates a client.
    ///
    /// - Parameter isExpired: A closure that returns whether a time limit expires immediately. Otherwise it never expires.
    private func hub(
        tokens: any SASTokenSource, transport: any HubTransport, deadline: Duration = .seconds(60),
        retry: RetryPolicy = RetryPolicy(),
        isExpired: @escaping @Sendable (Duration) async throws -> Bool = { _ in false },
        observer: (@Sendable (HubEvent) -> Void)? = nil
    ) throws -> NotificationHub {
        var options = NotificationHub.Options(retry: retry, observer: observer)
        options.deadline = deadline
        let time = CallTime(
            elapsed: { .zero }, sleep: { _ in try Task.checkCancellation() },
            timer: { limit in
                if try await !isExpired(limit) { await Blocking.forever() }
            }, random: { 1 }, now: { 0 })
        return try NotificationHub(
            endpoint: try ServiceEndpoint(namespace: "contoso"), name: try NotificationHub.Name(validating: "push"),
            tokens: tokens, transport: transport, options: options, time: time)
    }
}

private enum Blocking {
    /// Suspends forever and ignores cancellation.
    static func forever() async {
        unsafe await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}

/// A transport that suspends until it is cancelled and counts the waits.
private struct BlockingTransport: HubTransport {
    private let counts = Locked((total: 0, cancelled: 0))
    var count: Int { counts.withLock { $0.total } }
    var cancelledCount: Int { counts.withLock { $0.cancelled } }

    func block() async throws {
        counts.withLock { $0.total += 1 }
        defer { counts.withLock { $0.cancelled += 1 } }
        try await Task.sleep(for: .seconds(100_000))
    }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        try await block()
        throw CancellationError()
    }
}

/// A token source that returns one token and then fails.
private struct OneToken: SASTokenSource {
    let error: any Error
    private let isUsed = Locked(false)

    init(error: any Error) {
        self.error = error
    }

    func token(for resource: String) async throws -> SASToken {
        let isFirst = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
        guard isFirst else { throw error }
        return SASSigner(key: TokenTests.primary, resource: resource).token(expiringAt: 9_000_000_000)
    }
}

/// A token source that returns `count` tokens and then blocks.
private struct BlockingTokens: SASTokenSource {
    var count = 0
    private let requests = Locked(0)
    var requestCount: Int { requests.withLock { $0 } }

    init(count: Int = 0) {
        self.count = count
    }

    func token(for resource: String) async throws -> SASToken {
        let number = requests.withLock {
            $0 += 1
            return $0
        }
        if number > count { await Blocking.forever() }
        return SASSigner(key: TokenTests.primary, resource: resource).token(expiringAt: 9_000_000_000)
    }

    func token(
        replacing rejected: SASToken, rejectedFor reason: SASTokenError.Code, for resource: String
    ) async throws -> SASToken? {
        requests.withLock { $0 += 1 }
        await Blocking.forever()
        return nil
    }
}
