import HubLock
import NotificationHubs
import SharedAccessSignature
import Testing

/// What a call does about others that do not keep to what was agreed. No limit passes but where a test lets it.
@Suite(.timeLimit(.minutes(30))) struct LimitTests {
    struct Foreign: Error {}

    @Test func `ends in time although there is no token, and sends nothing`() async throws {
        let transport = ScriptedTransport.accepting()
        let hub = try hub(tokens: EndlessTokens(), transport: transport, isOver: { $0 == .seconds(60) })
        let error = await #expect(throws: HubError.self) { try await hub.send(.template([:]), to: .tag("t")) }
        #expect(error?.code == .timedOut)
        #expect(error?.attemptCount == 0)
        let report = try await hub.send(.apple("{}"), to: .devices([.apple(hexDeviceToken: "AB")]))
        #expect(report.chunks.map(\.status) == [.notSent])
        #expect(transport.requests.isEmpty)
    }

    @Test func `keeps the hub's answer if another token does not come in time`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 401) }
        let tokens = EndlessTokens(count: 1)
        let hub = try hub(
            tokens: tokens, transport: transport,
            isOver: { limit in
                while tokens.askedCount < 2 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                return limit == .seconds(60)
            })
        let error = await #expect(throws: HubError.self) { try await hub.installation(Installation.ID.random()) }
        #expect(error?.code == .unauthorized)
    }

    @Test func `is cancelled at once while it waits for another token`() async throws {
        let tokens = EndlessTokens(count: 1)
        let hub = try hub(tokens: tokens, transport: ScriptedTransport { _ in HubResponse(status: 401) })
        let call = Task { try await hub.send(.template([:]), to: .tag("t")) }
        while tokens.askedCount < 2 { await Task.yield() }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func `is cancelled at once although the token source ignores it`() async throws {
        let tokens = EndlessTokens(count: 0)
        let hub = try hub(tokens: tokens, transport: CancelledWait())
        let call = Task { try await hub.send(.template([:]), to: .tag("t")) }
        while tokens.askedCount == 0 { await Task.yield() }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func `sends nothing when its time is over`() async throws {
        let transport = ScriptedTransport.accepting()
        let hub = try hub(tokens: Self.signing, transport: transport, deadline: .zero)
        let error = await #expect(throws: HubError.self) { try await hub.send(.template([:]), to: .tag("t")) }
        #expect(error?.code == .timedOut)
        #expect(transport.requests.isEmpty)
    }

    @Test func `takes a transport's failure of another kind for one that proves nothing`() async throws {
        let transport = ScriptedTransport { _ in throw Foreign() }
        let hub = try hub(tokens: Self.signing, transport: transport)
        let error = await #expect(throws: HubError.self) { try await hub.send(.template([:]), to: .tag("t")) }
        #expect(error?.code == .mayHaveBeenAccepted)
        #expect(transport.requests.count == 1)
        let report = try await hub.send(.apple("{}"), to: .devices([.apple(hexDeviceToken: "AB")]))
        #expect(!report.canRetry, "it would be sent twice")
    }

    @Test func `tells an observer of a call that ends without an outcome`() async throws {
        let phases = Locked<[HubEvent.Phase]>([])
        let transport = CancelledWait()
        let hub = try hub(
            tokens: Self.signing, transport: transport,
            observer: { event in phases.withLock { $0.append(event.phase) } })
        let call = Task { try await hub.send(.template([:]), to: .tag("t")) }
        while transport.count == 0 { await Task.yield() }
        call.cancel()
        _ = await call.result
        #expect(phases.withLock { $0 } == [.started, .abandoned])
    }

    @Test func `sets no timer if the token is cached`() async throws {
        let wait = CancelledWait()
        let tokens = SASFetchingSource {
            SASSigner(key: TokenTests.primary, resource: $0).token(validFor: .seconds(3600))
        }
        _ = try await tokens.token(for: "https://contoso.servicebus.windows.net/push")
        for tokens in [Self.signing, tokens] as [any SASTokenSource] {
            let hub = try hub(
                tokens: tokens, transport: ScriptedTransport.accepting(),
                isOver: { _ in
                    try await wait.forEver()
                    return true
                })
            try await hub.send(.template([:]), to: .tag("t"))
        }
        #expect(wait.count == 0)
    }

    @Test func `leaves no timer running after a token was fetched`() async throws {
        let wait = CancelledWait()
        let hub = try hub(
            tokens: EndlessTokens(count: 1), transport: ScriptedTransport.accepting(),
            isOver: { _ in
                try await wait.forEver()
                return true
            })
        try await hub.send(.template([:]), to: .tag("t"))
        while wait.cancelledCount < wait.count { await Task.yield() }
        #expect(wait.count <= 1)
    }

    static let signing = SASSigningSource(key: TokenTests.primary)

    /// - Parameter isOver: which limits are over at once. All others never are.
    private func hub(
        tokens: any SASTokenSource, transport: any HubTransport, deadline: Duration = .seconds(60),
        isOver: @escaping @Sendable (Duration) async throws -> Bool = { _ in false },
        observer: (@Sendable (HubEvent) -> Void)? = nil
    ) throws -> NotificationHub {
        var options = NotificationHub.Options(observer: observer)
        options.deadline = deadline
        let time = CallTime(
            elapsed: { .zero }, sleep: { _ in try Task.checkCancellation() },
            timer: { limit in
                if try await !isOver(limit) { await Endless.wait() }
            }, random: { 1 }, now: { 0 })
        return try NotificationHub(
            endpoint: try ServiceEndpoint(namespace: "contoso"), name: try NotificationHub.Name(validating: "push"),
            tokens: tokens, transport: transport, options: options, time: time)
    }
}

private enum Endless {
    /// Waits for ever, whoever cancels it.
    static func wait() async {
        unsafe await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}

/// Waits for ever, until it is cancelled, and counts that.
private struct CancelledWait: HubTransport {
    private let counted = Locked((all: 0, cancelled: 0))
    var count: Int { counted.withLock { $0.all } }
    var cancelledCount: Int { counted.withLock { $0.cancelled } }

    func forEver() async throws {
        counted.withLock { $0.all += 1 }
        defer { counted.withLock { $0.cancelled += 1 } }
        try await Task.sleep(for: .seconds(100_000))
    }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        try await forEver()
        throw CancellationError()
    }
}

/// Has some tokens, and then none, but does not say so.
private struct EndlessTokens: SASTokenSource {
    var count = 0
    private let asked = Locked(0)
    var askedCount: Int { asked.withLock { $0 } }

    init(count: Int = 0) {
        self.count = count
    }

    func token(for resource: String) async throws -> SASToken {
        let number = asked.withLock {
            $0 += 1
            return $0
        }
        if number > count { await Endless.wait() }
        return SASSigner(key: TokenTests.primary, resource: resource).token(expiringAt: 9_000_000_000)
    }

    func token(
        replacing refused: SASToken, rejectedFor reason: SASTokenError.Code, for resource: String
    ) async throws -> SASToken? {
        asked.withLock { $0 += 1 }
        await Endless.wait()
        return nil
    }
}
