import HubLock
import HubTestSupport
import NotificationHubs
import Testing

/// The requests of the operations, and their handling of responses.
@Suite struct RegistrationRequestTests {
    let id: Registration.ID
    let registration = Registration(pushChannel: .gcm(registrationID: "g"), tags: ["news"])
    let response = "\(common)<Tags>news</Tags><GcmRegistrationId>g</GcmRegistrationId>"

    init() throws {
        id = try Registration.ID(validating: "1-2-3")
    }

    private func sent(
        by call: (NotificationHub) async throws -> Void
    ) async throws -> [String?] {
        let transport = ScriptedTransport.returning(response)
        try await call(try NotificationHub.scripted(transport))
        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        let base = "https://contoso.servicebus.windows.net/push"
        return [
            "\(request.method.rawValue) \(request.url.dropFirst(base.count))", request.headers["If-Match"],
            request.headers["Content-Type"],
        ]
    }

    @Test func `sends the requests of all operations`() async throws {
        let type = "application/atom+xml;type=entry;charset=utf-8"
        let path = "/registrations/1-2-3?api-version=2020-06"
        #expect(
            try await sent { _ = try await $0.createRegistration(registration) }
                == ["POST /registrations?api-version=2020-06", nil, type])
        #expect(
            try await sent { _ = try await $0.putRegistration(registration, id: id) }
                == ["PUT \(path)", nil, type])
        #expect(
            try await sent { _ = try await $0.updateRegistration(registration, id: id, ifMatch: nil) } == [
                "PUT \(path)", "*", type,
            ])
        #expect(
            try await sent {
                _ = try await $0.updateRegistration(registration, id: id, ifMatch: .init(validating: "W/\"4\""))
            }
                == ["PUT \(path)", "\"4\"", type])
        #expect(try await sent { _ = try await $0.registration(id) } == ["GET \(path)", nil, nil])
        #expect(try await sent { try await $0.deleteRegistration(id) } == ["DELETE \(path)", "*", nil])
        #expect(
            try await sent { try await $0.deleteRegistration(id, ifMatch: .init(validating: "4")) }
                == ["DELETE \(path)", "\"4\"", nil])
    }

    @Test func `rejects a response with another registration`() async throws {
        let other = response.replacing("1-2-3", with: "1-2-4")
        let hub = try NotificationHub.scripted(.returning(other))
        for call in [
            { _ = try await hub.registration(id) }, { _ = try await hub.putRegistration(registration, id: id) },
            { _ = try await hub.updateRegistration(registration, id: id, ifMatch: nil) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: HubError.self) { try await call() }
            #expect(error?.code == .invalidResponse)
        }
        #expect(try await hub.createRegistration(registration).id.rawValue == "1-2-4")
    }

    @Test func `writes the tags that the service adds to registrations of installations`() async throws {
        let tags = "$InstallationId:{phone-1},$UserId:{bob@contoso=1},news"
        let content =
            "<RegistrationId>1-2-3</RegistrationId><Tags>\(tags)</Tags><GcmRegistrationId>g</GcmRegistrationId>"
        let transport = ScriptedTransport.returning(content)
        let hub = try NotificationHub.scripted(transport)
        let entry = try await hub.registration(id)
        _ = try await hub.putRegistration(entry.registration, id: id)
        #expect(transport.requests.last?.bodyText.contains("<Tags>\(tags)</Tags>") == true)

        for wrong in ["$UserId:{a},$UserId:{b}", "$UserId:{}", "$UserId:bob", "$UserId:{a b}", "$Other:{a}", "${a}"] {
            let read = content.replacing(tags, with: wrong)
            let registration = try await NotificationHub.scripted(.returning(read)).registration(id).registration
            let error = await #expect(throws: HubValidationError.self) {
                try await hub.putRegistration(registration, id: id)
            }
            #expect(error?.code == .invalidTag, "\(wrong)")
        }
    }

    @Test(
        arguments: [
            ["Location": "https://h/push/registrationids/1-2-3?api-version=2017-04"],
            ["location": "https://h.notificationhub.windows.net/push/registrationids/1-2-3"],
            ["Content-Location": "https://h/push/registrationIDs/1-2-3?api-version=2015-01"],
        ] as [HubHeaders])
    func `creates a registration ID`(headers: HubHeaders) async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 201, headers: headers) }
        #expect(try await NotificationHub.scripted(transport).createRegistrationID() == id)
        let request = try #require(transport.requests.first)
        #expect(request.url.hasSuffix("/push/registrationids?api-version=2020-06") && request.method == .post)
        #expect(request.body.isEmpty)
    }

    @Test(
        arguments: [[:], ["Location": "https://h/"], ["Location": "https://h/push/registrationids/%2e"]] as [HubHeaders]
    )
    func `fails if the response has no registration ID`(headers: HubHeaders) async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 201, headers: headers) }
        let error = await #expect(throws: HubError.self) {
            try await NotificationHub.scripted(transport).createRegistrationID()
        }
        #expect(error?.code == .invalidResponse)
    }

    @Test(arguments: [200, 201])
    func `accepts the documented and the actual status`(status: Int) async throws {
        let transport = ScriptedTransport.returning(response, status: status)
        let hub = try NotificationHub.scripted(transport)
        #expect(try await hub.createRegistration(registration).registration == registration)
        #expect(try await hub.putRegistration(registration, id: id).id == id)
    }

    @Test func `maps 404, 410 and 412 to error codes`() async throws {
        for (status, code) in [(404, HubError.Code.notFound), (410, .gone), (412, .preconditionFailed)] {
            let hub = try NotificationHub.scripted(ScriptedTransport { _ in HubResponse(status: status) })
            let overwriting = await #expect(throws: HubError.self) {
                try await hub.putRegistration(registration, id: id)
            }
            let updating = await #expect(throws: HubError.self) {
                try await hub.updateRegistration(registration, id: id, ifMatch: .init(validating: "1"))
            }
            #expect([overwriting?.code, updating?.code] == [code, code])
        }
    }

    @Test(arguments: [200, 204, 404])
    func `treats a missing registration as deleted`(status: Int) async throws {
        try await NotificationHub.scripted(ScriptedTransport { _ in HubResponse(status: status) }).deleteRegistration(
            id)
    }

    // MARK: Retries

    private struct Attempts: Equatable {
        var count: Int
        var code: HubError.Code?
    }

    /// Makes a call whose first response is lost.
    ///
    /// - Returns: The number of attempts, and the error if the call failed.
    private func attempts(_ call: (NotificationHub) async throws -> Void) async throws -> Attempts {
        let count = Locked(0)
        let transport = ScriptedTransport { [response] _ in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            if number == 1 { throw HubTransportError("cut off", delivery: .unknown) }
            return HubResponse(
                status: 200, headers: ["Location": "https://h/push/registrationids/1-2-3"],
                body: Array(entry(response).utf8))
        }
        let hub = try NotificationHub(
            connectionString:
                "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=\(NotificationHub.keyText)", hubName: "push",
            transport: transport, options: .patient(retry: RetryPolicy(firstDelay: .zero)))
        do {
            try await call(hub)
            return Attempts(count: transport.requests.count)
        } catch let error as HubError {
            return Attempts(count: transport.requests.count, code: error.code)
        }
    }

    @Test func `retries idempotent operations`() async throws {
        let calls: [(NotificationHub) async throws -> Void] = [
            { _ = try await $0.createRegistrationID() },
            { _ = try await $0.putRegistration(registration, id: id) },
            { _ = try await $0.updateRegistration(registration, id: id, ifMatch: nil) },
            { _ = try await $0.registration(id) },
            { try await $0.deleteRegistration(id, ifMatch: .init(validating: "1")) },
        ]
        for call in calls { #expect(try await attempts(call) == Attempts(count: 2)) }
    }

    @Test func `does not retry operations that are not idempotent`() async throws {
        let calls: [(NotificationHub) async throws -> Void] = [
            { _ = try await $0.createRegistration(registration) },
            { _ = try await $0.updateRegistration(registration, id: id, ifMatch: .init(validating: "1")) },
        ]
        for call in calls { #expect(try await attempts(call) == Attempts(count: 1, code: .mayHaveBeenAccepted)) }
    }

    @Test func `reports paths without IDs to an observer`() async throws {
        let paths = Locked<[String]>([])
        let transport = ScriptedTransport { [response] request in
            HubResponse(status: 200, body: Array(entry(response).utf8))
        }
        let options = NotificationHub.Options(deadline: .seconds(100_000), attemptTimeout: .seconds(100_000)) { event in
            if event.phase == .started { paths.withLock { $0.append(event.pathTemplate) } }
        }
        let hub = try NotificationHub(
            connectionString: "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=k", hubName: "push",
            transport: transport, options: options)
        _ = try? await hub.createRegistrationID()
        _ = try await hub.registration(id)
        _ = try? await hub.registrations(.tag("username:bob")).pages.first { _ in true }
        #expect(paths.withLock { $0 } == ["/registrationids", "/registrations/{id}", "/tags/{id}/registrations"])
    }
}
