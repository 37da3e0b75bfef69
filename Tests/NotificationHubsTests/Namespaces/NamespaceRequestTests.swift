import HubLock
import HubTestSupport
import NotificationHubs
import Testing

/// The requests of a namespace's client, and the interpretation of the responses.
@Suite struct NamespaceRequestTests {
    static func entry(_ name: String, _ elements: String = "") -> String {
        """
        <entry xmlns="\(Registration.atom)"><title type="text">\(name)</title><content type="application/xml">\
        <NotificationHubDescription xmlns:i="\(Registration.instance)" xmlns="\(Registration.connect)">\(elements)\
        </NotificationHubDescription></content></entry>
        """
    }

    private static func feed(_ entries: [String], title: String = "NotificationHubs") -> String {
        "<feed xmlns=\"\(Registration.atom)\"><title>\(title)</title>\(entries.joined())</feed>"
    }

    static func namespace(
        retry: RetryPolicy = .never, _ transport: ScriptedTransport
    ) throws -> NotificationHubNamespace {
        try NotificationHubNamespace(
            connectionString: """
                Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=root;\
                SharedAccessKey=\(NotificationHub.keyText)
                """,
            transport: transport, options: .patient(retry: retry))
    }

    /// Creates a client whose transport returns responses in order, or loses them if they are `nil`.
    private func namespace(
        retry: RetryPolicy = .never, _ replies: [HubResponse?]
    ) throws -> (NotificationHubNamespace, ScriptedTransport) {
        let remaining = Locked(replies[...])
        let transport = ScriptedTransport { _ in
            guard let reply = remaining.withLock({ $0.popFirst() }) ?? nil else {
                throw HubTransportError("lost", delivery: .unknown)
            }
            return reply
        }
        return (try Self.namespace(retry: retry, transport), transport)
    }

    private func reply(_ status: Int, _ body: String = "") -> HubResponse {
        HubResponse(status: status, body: Array(body.utf8))
    }

    /// A policy that retries without delay.
    private let retry = RetryPolicy(firstDelay: .zero)

    @Test func `signs for the namespace`() async throws {
        let (namespace, transport) = try namespace([reply(200)])
        try await namespace.deleteHub("push")
        let request = try #require(transport.requests.first)
        #expect(request.method == .delete)
        #expect(request.url == "https://contoso.servicebus.windows.net/push?api-version=2020-06")
        let token = try #require(request.headers["Authorization"])
        #expect(token.prefix { $0 != "&" } == "SharedAccessSignature sr=https%3A%2F%2Fcontoso.servicebus.windows.net")
    }

    @Test func `lists hubs until a page is empty, even after a short page`() async throws {
        let pages = [(0..<100), (100..<103), (0..<0)].map { $0.map { Self.entry("hub\($0)") } }
        let (namespace, transport) = try namespace(pages.map { reply(200, Self.feed($0)) })
        #expect(try await namespace.hubs().map(\.name.rawValue) == (0..<103).map { "hub\($0)" })
        #expect(
            transport.requests.map(\.url)
                == [0, 100, 103].map {
                    "https://contoso.servicebus.windows.net/$Resources/NotificationHubs?api-version=2020-06&$skip=\($0)&$top=100"
                })
    }

    @Test func `lists a hub once that appears on two pages`() async throws {
        let pages = [(0..<100), (99..<120), (0..<0)].map { $0.map { Self.entry("hub\($0)") } }
        let (namespace, _) = try namespace(pages.map { reply(200, Self.feed($0)) })
        #expect(try await namespace.hubs().map(\.name.rawValue) == (0..<120).map { "hub\($0)" })
    }

    @Test func `ends a listing whose pages repeat`() async throws {
        let page = Self.feed((0..<100).map { Self.entry("hub\($0)") })
        let (namespace, transport) = try namespace([reply(200, page), reply(200, page)])
        #expect(try await namespace.hubs().count == 100)
        #expect(transport.requests.count == 2)
    }

    @Test func `reports a missing hub as not found`() async throws {
        let (namespace, _) = try namespace([reply(200, Self.feed([], title: "Publicly Listed Services")), reply(404)])
        for status in [200, 404] {
            let error = await #expect(throws: HubError.self) { try await namespace.hub("none") }
            #expect(error?.code == .notFound)
            #expect(error?.status == status)
        }
    }

    @Test func `creates a hub without If-Match and reports a conflict`() async throws {
        let (namespace, transport) = try namespace([
            reply(201, Self.entry("push")),
            reply(409, "<Error><Code>409</Code><Detail>SubCode=40900. Conflict.</Detail></Error>"),
        ])
        #expect(try await namespace.createHub(.init(name: "push")).name == "push")
        let error = await #expect(throws: HubError.self) { try await namespace.createHub(.init(name: "push")) }
        #expect(error?.code == .conflict && error?.serviceSubcode == 40900)
        let request = try #require(transport.requests.first)
        #expect(request.method == .put && request.headers["If-Match"] == nil)
        #expect(request.headers["Content-Type"] == "application/atom+xml;type=entry;charset=utf-8")
        #expect(request.bodyText.contains("<NotificationHubDescription xmlns="))
    }

    @Test func `does not retry a creation that may have succeeded`() async throws {
        let (namespace, transport) = try namespace(retry: retry, [nil, reply(409)])
        let error = await #expect(throws: HubError.self) { try await namespace.createHub(.init(name: "push")) }
        #expect(error?.code == .mayHaveBeenAccepted)
        #expect(transport.requests.count == 1)
    }

    @Test func `retries an update and replaces any version`() async throws {
        let (namespace, transport) = try namespace(retry: retry, [nil, reply(200, Self.entry("push"))])
        _ = try await namespace.updateHub(.init(name: "push"))
        #expect(transport.requests.map { $0.headers["If-Match"] } == ["*", "*"])
    }

    @Test func `treats 404 for a DELETE as success only after a lost response`() async throws {
        try await namespace(retry: retry, [nil, reply(404)]).0.deleteHub("push")
        let error = await #expect(throws: HubError.self) {
            try await namespace(retry: retry, [reply(404)]).0.deleteHub("push")
        }
        #expect(error?.code == .notFound)
    }

    @Test func `rejects a response with another hub`() async throws {
        let (namespace, _) = try namespace([reply(200, Self.entry("other"))])
        let error = await #expect(throws: HubError.self) { try await namespace.hub("push") }
        #expect(error?.code == .invalidResponse)
        #expect(error?.detail == "the response contains another hub")
    }

    @Test(arguments: [
        ("", "the XML ends unexpectedly"), (entry("a b"), "'entry/title' is invalid"),
        (entry("push").replacing("NotificationHubDescription", with: "QueueDescription"), "is not NotificationHub"),
        (entry("push", "<RegistrationTtl>P1Y</RegistrationTtl>"), "RegistrationTtl' is not a duration"),
    ])
    func `rejects an unreadable description`(body: String, detail: String) async throws {
        let (namespace, _) = try namespace([reply(200, body)])
        let error = await #expect(throws: HubError.self) { try await namespace.hub("push") }
        #expect(error?.code == .invalidResponse)
        #expect(error?.detail?.contains(detail) == true, "\(error?.detail ?? "")")
    }

    @Test func `reports events with a hub's path`() async throws {
        let events = Locked<[HubEvent]>([])
        var options = NotificationHub.Options.patient(retry: .never)
        options.observer = { event in events.withLock { $0.append(event) } }
        let namespace = try NotificationHubNamespace(
            connectionString: "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey=b",
            transport: ScriptedTransport { _ in HubResponse(status: 200) }, options: options)
        try await namespace.deleteHub("push")
        #expect(events.withLock { $0.map(\.pathTemplate) } == ["/{id}", "/{id}"])
        #expect(events.withLock { $0.map(\.operation) } == ["deleteHub", "deleteHub"])
    }
}
