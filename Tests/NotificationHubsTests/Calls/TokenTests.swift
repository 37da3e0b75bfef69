import HubLock
import HubTestSupport
import NotificationHubs
import SharedAccessSignature
import Testing

/// Which tokens a client sends.
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
        "<Error><Code>401</Code><Detail>Manage claim is required for this operation.</Detail></Error>", "", "no XML",
    ])
    func `tries the secondary key once when the service refuses the first one's signature`(answer: String) async throws
    {
        let transport = ScriptedTransport { request in
            request.isSigned(by: Self.secondary)
                ? HubResponse(status: 204) : HubResponse(status: 401, body: Array(answer.utf8))
        }
        let hub = try hub(SASSigningSource(key: Self.primary, secondary: Self.secondary), transport)
        try await hub.deleteInstallation(id)
        #expect(transport.requests.map { $0.isSigned(by: Self.secondary) } == [false, true])
        try await hub.deleteInstallation(id)
        #expect(transport.requests.count == 3, "the key that works is the first one now")
    }

    @Test func `says that the hub refused the token if there is no other to be had`() async throws {
        struct NoToken: Error {}
        let asked = Locked(0)
        let tokens = SASFetchingSource { resource in
            let number = asked.withLock {
                $0 += 1
                return $0
            }
            if number > 1 { throw NoToken() }
            return SASSigner(key: Self.primary, resource: resource).token(validFor: .seconds(100_000))
        }
        let hub = try hub(tokens, ScriptedTransport { _ in HubResponse(status: 401) })
        let error = await #expect(throws: HubError.self) { try await hub.deleteInstallation(id) }
        #expect(error?.code == .unauthorized)
        #expect(asked.withLock { $0 } == 2)
    }

    @Test func `gives up when both keys are refused`() async throws {
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
    func `tries no other key when something else is wrong`(status: Int, answer: String) async throws {
        let body = "<Error><Code>\(status)</Code><Detail>\(answer)</Detail></Error>"
        let transport = ScriptedTransport { _ in HubResponse(status: status, body: Array(body.utf8)) }
        let hub = try hub(SASSigningSource(key: Self.primary, secondary: Self.secondary), transport)
        let error = await #expect(throws: HubError.self) { try await hub.deleteInstallation(id) }
        #expect(error?.status == status)
        #expect(transport.requests.count == 1)
    }

    @Test func `sends the token of a connection string as it is`() async throws {
        let signer = SASSigner(key: Self.primary, resource: "https://contoso.net/push")
        let token = signer.token(validFor: .seconds(100_000))
        let transport = ScriptedTransport { _ in HubResponse(status: 204) }
        let hub = try NotificationHub(
            connectionString: "Endpoint=sb://contoso.net/;SharedAccessSignature=\(token.headerValue)", hubName: "push",
            transport: transport, options: .patient())
        try await hub.deleteInstallation(id)
        #expect(transport.requests.map { $0.headers["Authorization"] } == [token.headerValue])
    }

    @Test func `asks a closure for a token of the hub, and says when it has none`() async throws {
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

    @Test func `asks for a token before each attempt, since one may end while it waits`() async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 429, headers: ["Retry-After": "0"]) }
        let hub = try hub(NewTokens(), transport)
        await #expect(throws: HubError.self) { try await hub.deleteInstallation(id) }
        #expect(Set(transport.requests.map { $0.headers["Authorization"] }).count == 4)
    }

    /// Has another token for who asks again.
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
            replacing refused: SASToken, rejectedFor reason: SASTokenError.Code, for resource: String
        ) async throws -> SASToken? {
            nil
        }
    }

    private func hub(_ tokens: any SASTokenSource, _ transport: ScriptedTransport) throws -> NotificationHub {
        try NotificationHub(
            endpoint: try ServiceEndpoint(namespace: "contoso"), hubName: "push", tokens: tokens, transport: transport,
            options: .patient())
    }
}

extension HubRequest {
    /// Whether the request has a token for the hub by a key.
    fileprivate func isSigned(by key: SharedAccessKey) -> Bool {
        guard let token = try? SASToken(headers["Authorization"] ?? ""),
            let resource = try? SASResource("https://contoso.servicebus.windows.net/push")
        else { return false }
        return (try? SASVerifier(keys: [key]).verify(token, for: resource)) != nil
    }
}
