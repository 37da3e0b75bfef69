import NotificationHubs
import Testing

/// Listings of registrations.
@Suite struct RegistrationSequenceTests {
    /// Returns a page of entries in the service's format.
    private static func feed(_ ids: [String]) -> [UInt8] {
        let entries = ids.map {
            entry("<ETag>1</ETag><RegistrationId>\($0)</RegistrationId><GcmRegistrationId>g</GcmRegistrationId>")
        }
        return Array(
            """
            <feed xmlns="\(Registration.atom)"><title type="text">Registrations</title><id>https://h</id>\
            <updated>2018-11-07T00:18:28Z</updated><link rel="self" href="https://h"/>\(entries.joined())</feed>
            """.utf8)
    }

    /// Returns a hub whose transport responds with pages, by their continuation tokens.
    private func hub(
        _ pages: [String: (ids: [String], next: String?)]
    ) throws -> (hub: NotificationHub, transport: ScriptedTransport) {
        let transport = ScriptedTransport { request in
            let token = request.query.split(separator: "continuationtoken=").dropFirst().first.map(String.init)
            let page = try #require(pages[token ?? ""])
            var headers = HubHeaders()
            headers["X-MS-ContinuationToken"] = page.next
            return HubResponse(status: 200, headers: headers, body: Self.feed(page.ids))
        }
        return (try NotificationHub.scripted(transport), transport)
    }

    private func ids(_ sequence: RegistrationSequence) async throws -> [String] {
        var ids: [String] = []
        for try await entry in sequence { ids.append(entry.id.rawValue) }
        return ids
    }

    @Test func `reads all pages and returns continuation tokens unchanged`() async throws {
        let (hub, transport) = try hub([
            "": (["1", "2"], "MzEobik7Mg%3D%3D"), "MzEobik7Mg%3D%3D": ([], "a=b"), "a=b": (["3"], nil),
        ])
        #expect(try await ids(hub.registrations()) == ["1", "2", "3"])
        let queries = transport.requests.map(\.query)
        #expect(
            queries == [
                "api-version=2020-06&$top=100",
                "api-version=2020-06&$top=100&continuationtoken=MzEobik7Mg%3D%3D",
                "api-version=2020-06&$top=100&continuationtoken=a=b",
            ])
    }

    @Test func `skips unknown kinds and reports them in their page`() async throws {
        let unknown = entry("<RegistrationId>2</RegistrationId>", name: "HarmonyRegistrationDescription")
        let typed = entry(
            "<RegistrationId>3</RegistrationId>", name: "RegistrationDescription",
            attributes: " i:type=\"NokiaRegistrationDescription\"")
        let body = String(decoding: Self.feed(["1"]), as: UTF8.self)
            .replacing("</feed>", with: unknown + typed + "</feed>")
        let hub = try NotificationHub.scripted(
            ScriptedTransport { _ in HubResponse(status: 200, body: Array(body.utf8)) })
        #expect(try await ids(hub.registrations()) == ["1"])
        for try await page in hub.registrations().pages {
            #expect(page.unknownKinds == ["HarmonyRegistrationDescription", "NokiaRegistrationDescription"])
        }
    }

    @Test func `requests a page only when it is needed`() async throws {
        let (hub, transport) = try hub(["": (["1", "2"], "t"), "t": (["3"], nil)])
        var iterator = hub.registrations(pageSize: 2).makeAsyncIterator()
        #expect(transport.requests.isEmpty)
        _ = try await iterator.next()
        _ = try await iterator.next()
        #expect(transport.requests.count == 1)
        #expect(try await iterator.next()?.id.rawValue == "3")
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(transport.requests.count == 2)
    }

    @Test func `resumes at the token of a page`() async throws {
        let (hub, _) = try hub(["": (["1"], "t"), "t": (["2"], "")])
        var pages: [Registration.Page] = []
        for try await page in hub.registrations().pages { pages.append(page) }
        #expect(pages.map { $0.entries.map(\.id.rawValue) } == [["1"], ["2"]])
        #expect(pages.map(\.continuationToken?.rawValue) == ["t", nil])
        let token = try Registration.ContinuationToken(validating: "t")
        #expect(try await ids(hub.registrations(resumingAt: token)) == ["2"])
    }

    @Test(arguments: [
        (Registration.Selection.all, "registrations", ""),
        (.tag("username:bob@x#1"), "tags/username:bob@x%231/registrations", ""),
        (.pushChannel(PushChannel(platform: .apple, handle: "ab01")), "registrations", "ChannelUri+eq+%27AB01%27"),
        (
            .pushChannel(.fcmV1(registrationToken: "d'Artagnan:a+b&c")), "registrations",
            "ChannelUri+eq+%27d%27%27Artagnan%3Aa%2Bb%26c%27"
        ),
        (
            .pushChannel(.browser(.init(endpoint: "https://b/1", p256dh: "key", auth: "sesame"))), "registrations",
            "Endpoint+eq+%27https%3A%2F%2Fb%2F1%27"
        ),
    ])
    func `selects all registrations, or those of a tag or a device`(
        selection: Registration.Selection, path: String, filter: String
    ) async throws {
        let (hub, transport) = try hub(["": ([], nil)])
        #expect(try await ids(hub.registrations(selection, pageSize: 7)) == [])
        let request = try #require(transport.requests.first)
        #expect(request.path == "/push/\(path)")
        #expect(request.query == "api-version=2020-06" + (filter.isEmpty ? "" : "&$filter=\(filter)") + "&$top=7")
    }

    @Test(arguments: [".", ".."])
    func `does not list the devices of a tag that servers remove from the path`(tag: NotificationHub.Tag) async throws {
        let (hub, transport) = try hub(["": ([], nil)])
        let error = await #expect(throws: HubValidationError.self) { try await ids(hub.registrations(.tag(tag))) }
        #expect(error?.code == .invalidTag)
        #expect(transport.requests.isEmpty)
    }

    @Test func `selects the registrations of an installation`() async throws {
        let (hub, transport) = try hub(["": ([], nil)])
        #expect(try await ids(hub.registrations(.installation(Installation.ID(validating: "i-1")))) == [])
        #expect(transport.requests.first?.path == "/push/tags/$InstallationId:%7Bi-1%7D/registrations")
    }

    @Test func `fails when a continuation token repeats`() async throws {
        let (hub, transport) = try hub(["": (["1"], "a"), "a": (["2"], "b"), "b": (["3"], "a")])
        var read: [String] = []
        let error = await #expect(throws: HubError.self) {
            for try await entry in hub.registrations() { read.append(entry.id.rawValue) }
        }
        #expect(error?.code == .invalidResponse)
        #expect(read == ["1", "2", "3"] && transport.requests.count == 3)
    }

    @Test(arguments: ["a&b", "a b", "a#b", "é"])
    func `rejects a continuation token that is invalid in a query`(token: String) async throws {
        let (hub, transport) = try hub(["": (["1"], token)])
        let error = await #expect(throws: HubError.self) { try await ids(hub.registrations()) }
        #expect(error?.code == .invalidResponse && transport.requests.count == 1)
        let invalid = #expect(throws: HubValidationError.self) {
            try Registration.ContinuationToken(validating: token)
        }
        #expect(invalid?.code == .invalidContinuationToken)
    }

    @Test func `rejects an invalid push channel before a request`() async throws {
        let (hub, transport) = try hub([:])
        await #expect(throws: HubValidationError.self) {
            try await ids(hub.registrations(.pushChannel(PushChannel(platform: .apple, handle: "x'"))))
        }
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: ["Publicly Listed Services", "Jobs"])
    func `rejects a feed that does not list registrations`(title: String) async throws {
        let feed = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title type=\"text\">\(title)</title></feed>"
        let transport = ScriptedTransport { _ in HubResponse(status: 200, body: Array(feed.utf8)) }
        let error = await #expect(throws: HubError.self) {
            try await ids(NotificationHub.scripted(transport).registrations())
        }
        #expect(error?.code == .invalidResponse)
        #expect(error?.detail?.contains(title) == true)
    }

    @Test func `reports the path of an invalid entry`() async throws {
        let body = Self.feed(["1"])
        let broken = String(decoding: body, as: UTF8.self).replacing("</feed>", with: entry("") + "</feed>")
        let transport = ScriptedTransport { _ in HubResponse(status: 200, body: Array(broken.utf8)) }
        let error = await #expect(throws: HubError.self) {
            try await ids(NotificationHub.scripted(transport).registrations())
        }
        #expect(error?.detail?.contains("'feed/entry[2]/content/GcmRegistrationDescription/") == true)
    }

    @Test func `reports an entry that cannot be read in its page`() async throws {
        let broken = entry("<RegistrationId>2</RegistrationId>")
        let body = String(decoding: Self.feed(["1"]), as: UTF8.self)
            .replacing("</feed>", with: broken + "<entry xmlns=\"\(Registration.atom)\"/></feed>")
        let hub = try NotificationHub.scripted(
            ScriptedTransport { _ in HubResponse(status: 200, body: Array(body.utf8)) })
        let page = try await hub.registrationPage()
        #expect(page.entries.map(\.id.rawValue) == ["1"])
        #expect(page.errors.map(\.code) == [HubError.Code.invalidResponse, .invalidResponse])
        #expect(page.errors.first?.detail?.hasPrefix("the registration \"2\" cannot be read: ") == true)
        var iterator = hub.registrations().makeAsyncIterator()
        do {
            _ = try await iterator.next()
            Issue.record("no error")
        } catch {
            #expect(error as? HubError == page.errors.first)
        }
        let end = try await iterator.next()
        #expect(end == nil)
    }

    @Test func `reads a page of a hundred large templates and rejects one beyond 4 MiB`() async throws {
        let body = String(repeating: "$(message) ", count: 3000)
        let large = entry(
            "\(common)<GcmRegistrationId>g</GcmRegistrationId><BodyTemplate><![CDATA[\(body)]]></BodyTemplate>",
            name: "GcmTemplateRegistrationDescription")
        for (count, isRead) in [(100, true), (130, false)] {
            let page = Array("<feed>\(String(repeating: large, count: count))</feed>".utf8)
            let transport = ScriptedTransport { _ in HubResponse(status: 200, body: page) }
            let hub = try NotificationHub.scripted(transport)
            if isRead {
                #expect(try await ids(hub.registrations()).count == count)
            } else {
                let error = await #expect(throws: HubError.self) { try await ids(hub.registrations()) }
                #expect(error?.detail?.contains("larger than 4194304 bytes") == true)
            }
        }
    }

    @Test func `throws CancellationError when its task is cancelled`() async throws {
        let (hub, transport) = try hub(["": (["1"], "t"), "t": (["2"], nil)])
        let task = Task {
            var iterator = hub.registrations().makeAsyncIterator()
            _ = try await iterator.next()
            cancelCurrentTask()
            return try await iterator.next()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.count == 1)
    }
}
