import HubLock
import NotificationHubs
import Testing

/// Listings of installations.
@Suite struct InstallationSequenceTests {
    /// A hub whose transport responds with pages of registrations, by their continuation tokens, and with installations.
    private struct ListedHub {
        let hub: NotificationHub
        let transport: ScriptedTransport

        /// The IDs of the requested installations.
        var requestedIDs: [String] {
            transport.requests.compactMap { request in
                request.path.hasPrefix("/push/installations/") ? String(request.path.dropFirst(20)) : nil
            }
        }

        /// - Parameter pages: Each page's registrations, as lists of tags, and the token of the next page.
        init(
            _ pages: [String: (tags: [String], next: String?)], missing: Set<String> = [], unreadable: Set<String> = []
        ) throws {
            transport = ScriptedTransport { request in
                if request.path.hasPrefix("/push/installations/") {
                    let id = String(request.path.dropFirst(20))
                    if missing.contains(id) { return HubResponse(status: 404) }
                    if unreadable.contains(id) { return HubResponse(status: 200, body: [UInt8(ascii: "{")]) }
                    return HubResponse(
                        status: 200,
                        body: Array("{\"installationId\":\"\(id)\",\"platform\":\"gcm\",\"pushChannel\":\"g\"}".utf8))
                }
                let token = request.query.split(separator: "continuationtoken=").dropFirst().first.map(String.init)
                let page = try #require(pages[token ?? ""])
                var headers = HubHeaders()
                headers["X-MS-ContinuationToken"] = page.next
                let entries = page.tags.enumerated().map { index, tags in
                    entry(
                        "<ETag>1</ETag><RegistrationId>\(index)</RegistrationId><Tags>\(tags)</Tags>"
                            + "<GcmRegistrationId>g</GcmRegistrationId>")
                }
                let feed = "<feed xmlns=\"\(Registration.atom)\"><title>Registrations</title>\(entries.joined())</feed>"
                return HubResponse(status: 200, headers: headers, body: Array(feed.utf8))
            }
            hub = try NotificationHub.scripted(transport)
        }
    }

    private func ids(_ sequence: InstallationSequence) async throws -> [String] {
        var ids: [String] = []
        for try await installation in sequence { ids.append(installation.id.rawValue) }
        return ids
    }

    @Test func `reads each installation once, even if its registrations are on several pages`() async throws {
        let listed = try ListedHub([
            "": (["$InstallationId:{a},news", "$InstallationId:{b}", "$InstallationId:{a},template"], "t"),
            "t": (["news, $InstallationId:{b}", "$InstallationId:{c}"], nil),
        ])
        #expect(try await ids(listed.hub.installations()) == ["a", "b", "c"])
        #expect(listed.requestedIDs.sorted() == ["a", "b", "c"])
    }

    @Test func `reports an installation that cannot be read in its page`() async throws {
        let listed = try ListedHub(["": (["$InstallationId:{a}", "$InstallationId:{b}"], nil)], unreadable: ["a"])
        var pages: [Installation.Page] = []
        for try await page in listed.hub.installations().pages { pages.append(page) }
        #expect(pages.map { $0.installations.map(\.id.rawValue) } == [["b"]])
        #expect(pages[0].errors.map(\.code) == [.invalidResponse])
        #expect(pages[0].errors[0].detail?.hasPrefix("the installation \"a\" cannot be read: ") == true)
        await #expect(throws: pages[0].errors[0]) { try await ids(listed.hub.installations()) }
    }

    @Test func `omits installations that are deleted before they are read`() async throws {
        let listed = try ListedHub(
            ["": (["$InstallationId:{a}", "$InstallationId:{b}", "$InstallationId:{c}"], nil)], missing: ["b"])
        #expect(try await ids(listed.hub.installations()) == ["a", "c"])
    }

    @Test func `returns other registrations with their page`() async throws {
        let listed = try ListedHub(["": (["news", "$InstallationId:{a}", "$InstallationId:{}"], nil)])
        var pages: [Installation.Page] = []
        for try await page in listed.hub.installations().pages { pages.append(page) }
        #expect(pages.map { $0.installations.map(\.id) } == [["a"]])
        #expect(pages.first?.otherRegistrations.map(\.id.rawValue) == ["0", "2"])
    }

    @Test func `resumes after a page without reading an installation again`() async throws {
        let listed = try ListedHub([
            "": (["$InstallationId:{a}"], "t"), "t": (["$InstallationId:{a}", "$InstallationId:{b}"], nil),
        ])
        var iterator = listed.hub.installations().pages.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        let rest = listed.hub.installations(
            resumingAt: first.continuationToken, excluding: Set(first.installations.map(\.id)))
        #expect(try await ids(rest) == ["b"])
        #expect(listed.requestedIDs == ["a", "b"])
    }

    @Test(.timeLimit(.minutes(30)), arguments: [1, 3, 8])
    func `reads at most the given number of installations at the same time`(concurrency: Int) async throws {
        let inFlight = Locked((count: 0, maximum: 0))
        let page = try ListedHub(["": ((0..<40).map { "$InstallationId:{i\($0)}" }, nil)]).transport
        let transport = ScriptedTransport { request in
            guard request.path.hasPrefix("/push/installations/") else {
                return try await page.send(request, timeout: .seconds(60))
            }
            inFlight.withLock { $0 = ($0.count + 1, max($0.maximum, $0.count + 1)) }
            defer { inFlight.withLock { $0.count -= 1 } }
            // Waits for the expected requests, and then gives unexpected ones time to start.
            while inFlight.withLock({ $0.maximum < concurrency }) {
                try Task.checkCancellation()
                await Task.yield()
            }
            for _ in 0..<20 { await Task.yield() }
            return try await page.send(request, timeout: .seconds(60))
        }
        let hub = try NotificationHub.scripted(transport)
        #expect(try await ids(hub.installations(concurrency: concurrency)) == (0..<40).map { "i\($0)" })
        #expect(inFlight.withLock(\.maximum) == concurrency)
    }

    @Test func `stops at an installation that cannot be read`() async throws {
        let transport = ScriptedTransport { request in
            request.path.hasPrefix("/push/installations/")
                ? HubResponse(status: 403)
                : try await ListedHub(["": (["$InstallationId:{a}"], nil)]).transport
                    .send(request, timeout: .seconds(1))
        }
        let error = await #expect(throws: HubError.self) {
            try await ids(NotificationHub.scripted(transport).installations())
        }
        #expect(error?.code == .forbidden)
    }

    @Test func `selects the installations of a user`() async throws {
        let listed = try ListedHub(["": ([], nil)])
        #expect(try await ids(listed.hub.installations(.user("zoe"))) == [])
        #expect(listed.transport.requests.first?.path == "/push/tags/$UserId:%7Bzoe%7D/registrations")
    }

    @Test func `reads single pages of registrations`() async throws {
        let listed = try ListedHub(["": (["news"], "t"), "t": (["sports"], nil)])
        let first = try await listed.hub.registrationPage(pageSize: 7)
        let second = try await listed.hub.registrationPage(pageSize: 7, after: first.continuationToken)
        #expect((first.entries + second.entries).map(\.registration.tags) == [["news"], ["sports"]])
        #expect(second.continuationToken == nil)
        #expect(listed.transport.requests.map(\.query).last == "api-version=2020-06&$top=7&continuationtoken=t")
    }
}

/// Listings recorded from the real service, in the directory `HUB_RECORDINGS`. They are not part of this repository.
@Suite(.enabled(if: Recordings.folder != nil, "HUB_RECORDINGS is not set"))
struct RecordedInstallationSequenceTests {
    @Test func `finds the installations of every recorded page`() async throws {
        var count = 0
        for file in try Recordings.files("dotnet") {
            guard case .array(let calls)? = try JSONValue(parsing: file.bytes)["HttpCalls"] else { continue }
            var installations: [String: [UInt8]] = [:]
            for case .string(let content)? in calls.map({ $0["Content"] }) where content.hasPrefix("{") {
                guard let json = try? JSONValue(parsing: content.utf8), case .string(let id)? = json["installationId"]
                else { continue }
                installations[id] = Array(content.utf8)
            }
            for case .string(let page)? in calls.map({ $0["Content"] }) where page.hasPrefix("<feed") {
                let transport = ScriptedTransport { [installations] request in
                    let isPage = request.path.hasSuffix("/registrations")
                    let body = isPage ? Array(page.utf8) : installations[String(request.path.split(separator: "/")[2])]
                    return HubResponse(status: body == nil ? 404 : 200, body: body ?? [])
                }
                let hub = try NotificationHub.scripted(transport)
                // The IDs in the page's text, found without the XML reader.
                let expected = page.split(separator: "$InstallationId:{").dropFirst().map { $0.prefix { $0 != "}" } }
                for try await page in hub.installations().pages {
                    #expect(page.installations.allSatisfy { expected.contains($0.id.rawValue[...]) })
                    let registrations = try await hub.registrationPage().entries
                    #expect(page.otherRegistrations.count == registrations.count - expected.count)
                }
                let requested = transport.requests.map(\.path).filter { $0.hasPrefix("/push/installations/") }
                #expect(Set(requested.map { $0.dropFirst(20) }) == Set(expected), "\(file.name)")
                count += expected.count
            }
        }
        #expect(count > 0)
    }
}
