import NotificationHubsEmulatorServer
import Foundation
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import SharedAccessSignature
import Testing

/// Ten typical tasks of an adopter, with public declarations only: the target has no package access.
@Suite struct AdoptionTests {
    let emulator = HubEmulator()

    @Test func `sends to a tag`() async throws {
        let emulator = HubEmulator(hubName: "push")
        try await emulator.makeClient().putInstallation(
            Installation(
                id: "phone-1", pushChannel: .apple(deviceToken: [1, 2]), tags: ["news"],
                templates: ["alert": Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)]))
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let text = server.connectionString

        let hub = try NotificationHub(connectionString: text, hubName: "push", transport: .http)
        _ = try await hub.send(.template(["message": "Hello"]), to: .tag("news"))

        #expect(emulator.deliveries.map(\.body) == [#"{"aps":{"alert":"Hello"}}"#])
    }

    @Test func `puts an installation from a request body`() async throws {
        struct Device: Decodable {
            let id: Installation.ID
            let token: String
            let tags: [NotificationHub.Tag]
        }
        let hub = emulator.makeClient()
        let body = Data(#"{"id": "phone-1", "token": "0a0B", "tags": ["news"]}"#.utf8)

        let device = try JSONDecoder().decode(Device.self, from: body)
        let channel = try PushChannel.apple(hexDeviceToken: device.token)
        try await hub.putInstallation(
            Installation(id: device.id, pushChannel: channel, tags: device.tags))

        #expect(try await hub.installation("phone-1").pushChannel == .apple(deviceToken: [0x0a, 0x0b]))
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                Device.self, from: Data(#"{"id": "a", "token": "0a", "tags": ["a b"]}"#.utf8))
        }
        guard case .dataCorrupted(let context)? = error else {
            Issue.record("unexpected kind of error")
            return
        }
        #expect(context.codingPath.first?.stringValue == "tags")
    }

    @Test func `patches tags`() async throws {
        let hub = emulator.makeClient()
        let id: Installation.ID = "phone-1"
        try await hub.putInstallation(
            Installation(id: id, pushChannel: .apple(deviceToken: [1, 2]), tags: ["a", "b", "news"]))

        try await hub.updateInstallation(
            id, with: [.addTags(["sport", "weather"]), .removeTags(["a", "b"])])

        #expect(try await Set(hub.installation(id).tags) == ["news", "sport", "weather"])
    }

    @Test(arguments: [(nil, "missing"), ("SharedAccessSignature sr=a", "missingField")])
    func `verifies a token in middleware`(header: String?, reason: String) throws {
        struct Abort: Error { let reason: String }
        let key = SharedAccessKey(name: "send", secret: "c2VjcmV0")
        let resource = try SASResource("https://contoso.servicebus.windows.net/push")
        let verifier = SASVerifier(keys: [key])
        func middleware(_ header: String?) throws -> SASClaims {
            do { return try verifier.verify(authorization: header, for: resource) } catch {
                throw Abort(reason: error.code.rawValue)
            }
        }

        let token = SASSigner(key: key, resource: "https://contoso.servicebus.windows.net/push").token(
            validFor: .seconds(60))
        #expect(try middleware(token.headerValue).keyName == "send")
        let error = #expect(throws: Abort.self) { try middleware(header) }
        #expect(error?.reason == reason)
    }

    @Test func `signs a token`() throws {
        let text =
            "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0"

        let signer = try SASSigner(connectionString: text, hubName: "push")
        let header = signer.token(validFor: .seconds(3600)).headerValue

        #expect(header.hasPrefix("SharedAccessSignature sr="))
    }

    @Test func `schedules and cancels a message`() async throws {
        let hub = emulator.makeClient()
        let message = PushNotification.template(["message": "Hello"])
        let date = Date(timeIntervalSinceNow: 3600)

        let id = try await hub.schedule(message, to: .tag("news"), at: date)
        #expect(try await hub.cancelScheduledNotification(id))
    }

    @Test func `lists registrations`() async throws {
        let hub = emulator.makeClient()
        let created = try await hub.createRegistration(
            Registration(pushChannel: .apple(deviceToken: [1, 2]), tags: ["news"]))
        var ids: [Registration.ID] = []

        for try await entry in hub.registrations(.tag("news")) { ids.append(entry.id) }

        #expect(ids == [created.id])
    }

    @Test func `retries a batch`() async throws {
        emulator.faults = [HubEmulator.Fault(.status(429), on: .post, "/messages/$batch", when: .calls([1]))]
        let hub = emulator.makeClient(options: NotificationHub.Options(retry: .never))
        let wakeUp = try PushNotification.apple(#"{"aps": {"content-available": 1}}"#)
        let channels = (0..<3).map { PushChannel.apple(deviceToken: [UInt8($0)]) }

        var report = try await hub.send(wakeUp, to: .devices(channels))
        #expect(report.canRetry)
        for _ in 1...3 where report.canRetry {
            try await Task.sleep(for: report.retryAfter ?? .milliseconds(1))
            report = try await hub.send(wakeUp, retrying: report)
        }

        #expect(report.isComplete)
    }

    @Test func `tests with the emulator`() async throws {
        let emulator = HubEmulator()
        let hub = emulator.makeClient()
        try await hub.putInstallation(
            Installation(id: "phone-1", pushChannel: .apple(deviceToken: [1, 2]), tags: ["news"]))
        _ = try await hub.send(.apple(#"{"aps":{"alert":"Hello"}}"#), to: .tag("news"))
        #expect(emulator.deliveries.count == 1)
    }

    @Test func `observes calls for metrics`() async throws {
        let (timers, sink) = AsyncStream.makeStream(of: [String].self)
        let options = NotificationHub.Options { event in
            guard case .finished = event.phase else { return }
            let outcome = event.failure?.rawValue ?? "success"
            sink.yield(["hub_call_duration", event.operation.rawValue, outcome])
        }
        let hub = emulator.makeClient(options: options)

        _ = try await hub.send(.template(["message": "Hello"]), to: .tag("news"))
        await #expect(throws: HubError.self) { try await hub.installation("missing") }

        sink.finish()
        #expect(
            await timers.reduce(into: []) { $0.append($1) }
                == [
                    ["hub_call_duration", "send", "success"],
                    ["hub_call_duration", "installation", "notFound"],
                ])
    }
}
