import HubLock
import HubTestSupport
import NotificationHubs
import SharedAccessSignature
import Testing

/// The tokens that a client sends.
@Suite struct TokenTests {
    static let primary = SharedAccessKey(name: "rule", secret: "primary")
    static let secondary = SharedAccessKey(name: "rule", secret: "secondary")
    let id: Installation.ID

    init() throws {
        id = try Installation.ID(validating: "12345")
    }

    @Test(arguments: [
        "<Error><Code>401</Code><Detail>40103: Invalid authorization token signature</Detail></Error>",
        "<Error><Code>401</Code><Detail>InvalidSignature: TrackingId:5f40106a-40104</Detail></Error>",
        "<Error><Code>401</Code><Detail>Manage claim is required for this operation.</Detail></Error>", "", "not XML",
    ])
    func `tries the secondary key once if the service rejects the primary key's signature`(body: String) async throws {
        let transport = ScriptedTransport { request in
            request.isSigned(by: Self.secondary)
                ? HubResponse(status: 204) : HubResponse(status: 401, body: Array(body.utf8))
        }
        let hub = try hub(.signed(by: Self.primary, or: Self.secondary), transport)
        try await hub.deleteInstallation(id)
        #expect(transport.requests.map { $0.isSigned(by: Self.secondary) } == [false, true])
        try await hub.deleteInstallation(id)
        #expect(transport.requests.count == 3, "the secondary key is now tried first")
    }

    @Test func `reports the hub's rejection if no other token is available`() async throws {
        struct NoToken: Error {}
        let requestCount = Locked(0)
        let tokens = SASFetchingSource { resource in
            let number = requestCount.withLock {
                $0 += 1
                return $0
            }
            if number > 1 { throw NoToken() }
            return SASSigner(key: Self.primary, resource: resource).token(validFor: .seconds(100_000))
        }
        let hub = try hub(tokens, ScriptedTransport { _ in HubResponse(status: 401) })
        let error = await #expect(throws: HubError.self) { try await hub.deleteInstallation(id) }
        #expect(error?.code == .unauthorized)
        #expect(requestCount.withLock { $0 } == 2)
    }

    @Test func `gives up if the hub rejects the only key`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 401) }
        let hub = try hub(.signed(by: Self.primary), transport)
        await #expect(throws: HubError.self) { try await hub.deleteInstallation(id) }
        #expect(transport.requests.map { $0.isSigned(by: Self.primary) } == [true])
    }

    @Test func `gives up if the hub rejects both keys`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 401) }
        let hub = try hub(SASSigningSource(key: Self.primary, secondary: Self.secondary), transport)
        await #expect(throws: HubError.self) { try await hub.deleteInstallation(id) }
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: [
        (401, "40101: x"), (401, "40102: x"), (401, "40104: Invalid audience TrackingId:5f40103a"), (401, "40105: x"),
        (401, "40107: x"), (401, "40108: x"), (401, "40109: x"), (401, "40110: x"), (403, "40103: x"),
        (400, "40103: x"),
    ])
    func `does not try the secondary key for other errors`(status: Int, detail: String) async throws {
        let body = "<Error><Code>\(status)</Code><Detail>\(detail)</Detail></Error>"
        let transport = ScriptedTransport { _ in HubResponse(status: status, body: Array(body.utf8)) }
        let hub = try hub(SASSigningSource(key: Self.primary, secondary: Self.secondary), transport)
        let error = await #expect(throws: HubError.self) { try await hub.deleteInstallation(id) }
        #expect(error?.status == status)
        #expect(transport.requests.count == 1)
    }

    @Test func `sends the token of a connection string unchanged`() async throws {
        let signer = SASSigner(key: Self.primary, resource: "https://contoso.net/push")
        let token = signer.token(validFor: .seconds(100_000))
        let transport = ScriptedTransport { _ in HubResponse(status: 204) }
        let hub = try NotificationHub(
            connectionString: "Endpoint=sb://contoso.net/;SharedAccessSignature=\(token.headerValue)", hubName: "push",
            transport: transport, options: .patient())
        try await hub.deleteInstallation(id)
        #expect(transport.requests.map { $0.headers["Authorization"] } == [token.headerValue])
    }

    @Test func `requests tokens for the hub from a closure and rethrows its error`() async throws {
        struct NoToken: Error {}
        let transport = ScriptedTransport { _ in HubResponse(status: 204) }
        let signing = SASFetchingSource { resource in
            SASSigner(key: Self.primary, resource: resource).token(validFor: .seconds(100_000))
        }
        try await hub(signing, transport).deleteInstallation(id)
        #expect(transport.requests[0].isSigned(by: Self.primary))
        let failing = try hub(SASFetchingSource { _ in throw NoToken() }, transport)
        await #expect(throws: NoToken.self) { try await failing.deleteInstallation(id) }
        #expect(transport.requests.count == 1)
    }

    @Test func `accepts the longest deadline`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 204) }
        let longest = Duration.seconds(Int64.max)
        let hub = try NotificationHub(
            endpoint: ServiceEndpoint("https://contoso.net"), hubName: "push", tokens: NewTokens(),
            transport: transport, options: .init(deadline: longest, attemptTimeout: longest))
        try await hub.deleteInstallation(id)
        #expect(transport.requests.count == 1)
    }

    @Test func `requests a token before each attempt`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 429, headers: ["Retry-After": "0"]) }
        let hub = try hub(NewTokens(), transport)
        await #expect(throws: HubError.self) { try await hub.deleteInstallation(id) }
        #expect(Set(transport.requests.map { $0.headers["Authorization"] }).count == 4)
    }

    /// A token source that returns a new token for each request.
    private struct NewTokens: SASTokenSource {
        private let expiry = Locked<Int64>(9_000_000_000)

        func token(for resource: String) async throws -> SASToken {
            SASSigner(key: TokenTests.primary, resource: resource).token(
                expiringAt: expiry.withLock {
                    $0 += 1
                    return $0
                })
        }

        func token(
            replacing rejected: SASToken, rejectedFor reason: SASTokenError.Code, for resource: String
        ) async throws -> SASToken? {
            nil
        }
    }

    private func hub(_ tokens: some SASTokenSource, _ transport: ScriptedTransport) throws -> NotificationHub {
        try NotificationHub(
            endpoint: try ServiceEndpoint(namespace: "contoso"), hubName: "push", tokens: tokens, transport: transport,
            options: .patient())
    }
}

extension HubRequest {
    /// Returns whether the request has a token for the hub, signed by a key.
    fileprivate func isSigned(by key: SharedAccessKey) -> Bool {
        guard let token = try? SASToken(headers["Authorization"] ?? ""),
            let resource = try? SASResource("https://contoso.servicebus.windows.net/push")
        else { return false }
        return (try? SASVerifier(keys: [key]).verify(token, for: resource)) != nil
    }
}
