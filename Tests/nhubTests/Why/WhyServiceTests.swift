import NotificationHubsEmulatorServer
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import NotificationHubsTesting
import Testing

@testable import nhub

/// `nhub why` on a hub whose control API is not available, which is what the service offers.
@Suite(.timeLimit(.minutes(30))) struct WhyServiceTests {
    @Test(arguments: [
        (["--tag", "newz"], "no device has the tag \"newz\"; did you mean \"news\"?"),
        (["--user", "Zoe"], "no device belongs to the user \"Zoe\"; did you mean \"zoe\"?"),
        (["--installation", "phone-2"], "no installation \"phone-2\"; did you mean \"phone-1\"?"),
        (
            ["--tag", "sports", "--format", "apple"],
            "the message is for apple, but the 1 device of the target is on fcmv1"
        ),
        (
            ["--installation", "tablet-1", "a=b"],
            "no device of the target has a template, which a template message requires"
        ),
        (["--expression", "news && sports"], "no device matches the expression, but 1 has news, 1 has sports"),
        (
            ["--tag", "news", "message=a"],
            "the message lacks the property \"city\" of the template \"alert\": phone-1 would show empty text"
        ),
    ])
    func `names the cause from registrations and installations`(words: [String], firstLine: String) async throws {
        let outcome = try await why(words)
        #expect(outcome.output.split(separator: "\n").first.map(String.init) == firstLine, "\(outcome.error)")
        #expect(outcome.status == 1)
    }

    @Test(arguments: [
        (
            ["--tag", "sports", "--format", "fcmv1"], #"{"message":{"priority":"high"}}"#,
            "1 device matches, but Firebase will reject the message: message.priority: belongs to message.android: "
                + "move it to message.android.priority", 1
        ),
        (
            ["--tag", "news", "--format", "apple"], #"{"alert":"x"}"#,
            "1 device matches, but no device of Apple will show the message: aps: missing, so the device shows nothing: "
                + #"send {"aps":{"alert":…}}"#, 1
        ),
        (
            [
                "--tag", "news", "--format", "apple", "--header", "apns-push-type=background", "--header",
                "apns-priority=10",
            ],
            #"{"aps":{"content-available":1}}"#,
            "1 device matches, but Apple will reject the message: apns-priority: must be 5 for the push type background: "
                + "send apns-priority: 5", 1
        ),
        (
            ["--tag", "sports", "--format", "fcmv1"], #"{"message":{"token":"x"}}"#,
            "1 device would receive the message", 0
        ),
    ])
    func `names what the platform will refuse, before the message is sent`(
        words: [String], body: String, firstLine: String, status: Int32
    ) async throws {
        let outcome = try await NHubProgram.withFile(body) { try await why(words + ["--message", $0]) }
        #expect(outcome.output.split(separator: "\n").first.map(String.init) == firstLine, "\(outcome.error)")
        #expect(outcome.status == status)
        #expect(outcome.output.contains("note") == (status == 0), "a warning is a note")
    }

    @Test func `names the template whose message the platform will refuse`() async throws {
        let outcome = try await why(["--tag", "late", "a=b"]) { _, hub in
            try await hub.putInstallation(
                Installation(
                    id: "tablet-9", pushChannel: .fcmV1(registrationToken: "t"), tags: ["late"],
                    templates: ["x": .init(body: #"{"data":{"a":"$(a)"}}"#)]))
        }
        #expect(
            outcome.output.hasPrefix(
                "1 device matches, but Firebase will reject the message: data: Firebase requires an object message around it: "
                    + #"write {"message":{"data":…}} (template "x")"#), "\(outcome.output)")
        #expect(outcome.status == 1)
    }

    @Test func `finds expired devices in the platforms' feedback`() async throws {
        let outcome = try await why(["--tag", "news"]) { emulator, hub in
            emulator.expire(.apple(deviceToken: WhySituationTests.phoneToken))
            _ = try await hub.send(.template(["message": "a", "city": "b"]), to: .everyone)
        }
        let lines = outcome.output.split(separator: "\n")
        #expect(
            lines.first == "every device of the target has expired: phone-1 (the platform rejected the push channel)")
        #expect(
            lines.contains { $0.hasPrefix("note     apple reported ExpiredChannel for phone-1 at 20") },
            "\(outcome.output)")
    }

    @Test func `notes what the key and the tier do not allow`() async throws {
        let outcome = try await why(["--installation", "phone-2"], policy: 1, tier: .free)
        #expect(outcome.status == 1)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first == "no installation \"phone-2\"")
        #expect(lines.contains { $0.hasPrefix("note     cannot read the other devices: the hub does not allow") })
        #expect(lines.contains { $0.hasPrefix("note     cannot read the platforms' feedback: ") }, "\(outcome.output)")
    }

    @Test func `fails plainly if the key cannot list registrations`() async throws {
        let outcome = try await why(["--tag", "news"], policy: 1)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.error.hasPrefix("nhub: the hub does not allow the operation: the key's access policy lacks a right")
        )
        #expect(outcome.error.split(separator: "\n").count == 1)
    }

    @Test(arguments: [0, 1]) func `reads the platforms with credentials if the key allows it`(policy: Int) async throws
    {
        let emulator = HubEmulator(hubName: "push")
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        let owner = try NotificationHubNamespace(connectionString: server.connectionString, transport: .http)
        var description = try await owner.hub("push")
        description.credentials = [.apple: ["Token": "sesame"]]
        _ = try await owner.updateHub(description)
        let namespace = try NotificationHubNamespace(
            connectionString: server.connectionString(for: emulator.policies[policy]), transport: .http)
        var collector = WhyCollector(
            emulator.makeClient(), .init(option: .everyone, value: "", expression: nil))
        try await collector.readDescription(namespace)
        #expect(collector.situation.credentials == (policy == 0 ? [.apple] : nil))
        #expect(
            collector.situation.notes.contains { $0.hasPrefix("cannot read the hub's credentials") } == (policy == 1))
    }

    @Test func `notes the counts that quotas limit`() async throws {
        let body = """
            <entry xmlns="http://www.w3.org/2005/Atom"><title>push</title><content type="application/xml">\
            <NotificationHubDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">\
            <DailyMaxActiveDevices>3</DailyMaxActiveDevices><DailyPushes>12</DailyPushes>\
            </NotificationHubDescription></content></entry>
            """
        let server = try RawServer { _ in NHubProgram.response(200, body: body) }
        defer { server.stop() }
        let namespace = try NotificationHubNamespace(
            connectionString: NHubProgram.connectionString(port: server.port), transport: .http)
        var collector = WhyCollector(
            HubEmulator(hubName: "push").makeClient(), .init(option: .everyone, value: "", expression: nil))
        try await collector.readDescription(namespace)
        #expect(collector.situation.notes == ["counts of the day: 12 pushes, 3 active devices"])
        #expect(collector.situation.credentials == [])
    }

    private func why(
        _ words: [String], policy: Int = 0, tier: HubEmulator.Tier = .standard,
        prepare: (HubEmulator, NotificationHub) async throws -> Void = { _, _ in }
    ) async throws -> BuiltProgram.Outcome {
        let server = try HubEmulator.Server(
            [HubEmulator(hubName: "push", options: .init(tier: tier))], listeningOn: "127.0.0.1", controlToken: "token")
        defer { server.stop() }
        let hub = server.makeClient(transport: server.emulator)
        try await WhySituationTests.fill(hub)
        try await prepare(server.emulator, hub)
        let policy = server.emulator.policies[policy]
        let outcome = try await NHubProgram.run(
            ["why"] + words, connectionString: server.connectionString(for: policy), expectingRedacted: policy.key)
        #expect(!outcome.output.contains(WhySituationTests.phoneHandle), "the output contains a handle")
        return outcome
    }
}
