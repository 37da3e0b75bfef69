import NotificationHubsEmulatorServer
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

/// `nhub why` on prepared hubs of an emulator's server.
@Suite(.timeLimit(.minutes(30))) struct WhySituationTests {
    /// A prepared situation, the question about it, and the first line of the answer.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let firstLine: String
        let prepare: @Sendable (HubEmulator, NotificationHub) async throws -> [String]
        var testDescription: String { name }
    }

    static let phoneToken = [UInt8](repeating: 0x12, count: 32)
    /// The start of the phone's handle: digits that the IDs and times of an output do not contain by chance.
    static let phoneHandle = String(repeating: "12", count: 12)

    /// A hub with an Apple device of zoe, and a Firebase device without a user.
    static func fill(_ hub: NotificationHub) async throws {
        var phone = Installation(
            id: "phone-1", pushChannel: .apple(deviceToken: phoneToken), userID: "zoe", tags: ["news", "berlin"])
        phone.templates["alert"] = .init(body: #"{"aps":{"alert":"{$(message) + ' in ' + $(city)}"}}"#)
        try await hub.putInstallation(phone)
        try await hub.putInstallation(
            Installation(id: "tablet-1", pushChannel: .fcmV1(registrationToken: "token"), tags: ["sports"]))
    }

    /// The time of a scheduled message, in whole seconds.
    static let due = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 3600).rounded())

    static let cases = [
        Case(name: "no such tag", firstLine: "no device has the tag \"newz\"; did you mean \"news\"?") { _, hub in
            try await fill(hub)
            return ["--tag", "newz"]
        },
        Case(
            name: "expired",
            firstLine: "every device of the target has expired: phone-1 (the platform rejected the push channel)"
        ) { emulator, hub in
            try await fill(hub)
            emulator.expire(.apple(deviceToken: phoneToken))
            _ = try await hub.send(.template(["message": "a", "city": "b"]), to: .everyone)
            return ["--tag", "news"]
        },
        Case(name: "wrong platform", firstLine: "the message is for apple, but the 1 device of the target is on fcmv1")
        { _, hub in
            try await fill(hub)
            return ["--tag", "sports", "--format", "ios"]
        },
        Case(
            name: "template property missing",
            firstLine: #"the message lacks the property "city" of the template "alert": phone-1 would show empty text"#
        ) { _, hub in
            try await fill(hub)
            return ["--tag", "news", "message=Hello"]
        },
        Case(
            name: "tag expression precedence",
            firstLine:
                "&& binds tighter than ||: the expression means news || (sports && vip), which matches 1 device; "
                + "(news || sports) && vip matches 0"
        ) { _, hub in
            try await fill(hub)
            return ["--expression", "news || sports && vip"]
        },
        Case(
            name: "user tag spelled wrong",
            firstLine: "no device has the tag \"UserId:zoe\": pass --user zoe to address the user"
        ) { _, hub in
            try await fill(hub)
            return ["--tag", "UserId:zoe"]
        },
        Case(name: "throttled", firstLine: "the hub throttled the last message (429): wait, then send it again") {
            emulator, hub in
            try await fill(hub)
            emulator.faults = [.init(.status(429, retryAfter: .seconds(90)), on: .post, "/messages")]
            return ["--tag", "news", "--test", "message=a", "city=b"]
        },
        Case(
            name: "handle rejected by the platform", firstLine: "apple rejected the message for phone-1: ExpiredChannel"
        ) { emulator, hub in
            try await fill(hub)
            emulator.expire(.apple(deviceToken: phoneToken))
            let receipt = try await hub.send(.template(["message": "a", "city": "b"]), to: .tag("news"))
            return ["--tag", "news", "--notification", try #require(receipt.notificationID).rawValue]
        },
        Case(
            name: "scheduled for later",
            firstLine:
                "the message is scheduled for \(due.formatted(.iso8601)) and has not been sent (nhub cancel cancels it)"
        ) { _, hub in
            try await fill(hub)
            let id = try await hub.schedule(
                .template(["message": "a"]), to: .tag("news"), at: due)
            return ["--tag", "news", "--notification", id.rawValue]
        },
        Case(
            name: "quota",
            firstLine:
                "the hub rejected the last message (403): a quota is exhausted, such as the pushes or devices of its tier"
        ) { emulator, hub in
            try await fill(hub)
            emulator.faults = [.init(.status(403), on: .post, "/messages")]
            return ["--tag", "news", "--test", "message=a", "city=b"]
        },
        // Variants of the situations above.
        Case(name: "registered after the send", firstLine: "the hub found no device for the message when it was sent") {
            _, hub in
            let receipt = try await hub.send(.template(["message": "a", "city": "b"]), to: .tag("news"))
            try await fill(hub)
            return ["--tag", "news", "--notification", try #require(receipt.notificationID).rawValue]
        },
        Case(name: "cancelled", firstLine: "the message was cancelled before the hub sent it") { _, hub in
            try await fill(hub)
            let id = try await hub.schedule(.template(["message": "a"]), to: .tag("news"), at: due)
            _ = try await hub.cancelScheduledNotification(id)
            return ["--tag", "news", "--notification", id.rawValue]
        },
        Case(name: "unknown user", firstLine: "no device belongs to the user \"Zoe\"; did you mean \"zoe\"?") {
            _, hub in
            try await fill(hub)
            return ["--user", "Zoe"]
        },
        Case(name: "unknown installation", firstLine: "no installation \"phone-2\"; did you mean \"phone-1\"?") {
            _, hub in
            try await fill(hub)
            return ["--installation", "phone-2"]
        },
        Case(
            name: "no template", firstLine: "no device of the target has a template, which a template message requires"
        ) { _, hub in
            try await fill(hub)
            return ["--tag", "sports", "message=a"]
        },
        Case(name: "no combination", firstLine: "no device matches the expression, but 1 has news, 1 has sports") {
            _, hub in
            try await fill(hub)
            return ["--expression", "news && sports"]
        },
        Case(name: "no devices", firstLine: "the hub has no devices") { _, _ in ["--everyone"] },
        Case(
            name: "rejected by the platform in a test",
            firstLine: "apple rejected the message for 1 device: ExpiredChannel"
        ) { emulator, hub in
            try await fill(hub)
            emulator.expire(.apple(deviceToken: phoneToken))
            return ["--user", "zoe", "--test", "message=a", "city=b"]
        },
    ]

    /// Adds devices that do not belong to any target.
    private static func addCrowd(_ count: Int, to emulator: HubEmulator) throws {
        for number in 0..<count {
            try emulator.seed(
                Installation(
                    id: .init(validating: "crowd-\(number)"), pushChannel: .fcmV1(registrationToken: "c\(number)"),
                    userID: .init(validating: "crowd-user-\(number % 10)"), tags: ["crowd"]))
        }
    }

    /// The numbers of other devices. The environment variable `HUB_WHY_DEVICES` selects another number.
    private static let crowds =
        ProcessInfo.processInfo.environment["HUB_WHY_DEVICES"].flatMap(Int.init).map { [$0] } ?? [0, 10, 1001]

    @Test(arguments: cases, crowds)
    func `names the cause in the first line, among any number of other devices`(
        situation: Case, crowd: Int
    ) async throws {
        if situation.name == "no devices", crowd > 0 { return }
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        try Self.addCrowd(crowd, to: server.emulator)
        let words = try await situation.prepare(server.emulator, server.makeClient(transport: server.emulator))
        let outcome = try await Self.why(words, server)
        let firstLine = try #require(outcome.output.split(separator: "\n").first.map(String.init))
        let (cause, hint) = (situation.firstLine.prefix { $0 != ";" }, "; did you mean")
        if crowd > 10_000, situation.firstLine.contains(hint) {
            // Names are compared with those of 10,000 registrations only, and the line says so.
            #expect(
                firstLine.hasPrefix("\(cause); ") && firstLine.contains("the first 10000 registrations"), "\(firstLine)"
            )
        } else {
            #expect(firstLine == situation.firstLine, "\(outcome.error)")
        }
        #expect(outcome.status == 1)
        // A listing that takes ten seconds shows its progress.
        let errors = outcome.error.split(separator: "\n")
        #expect(errors.allSatisfy { $0.contains(" registrations") && crowd > 1000 }, "\(outcome.error)")
    }

    @Test func `counts all devices of a target`() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        try Self.addCrowd(1203, to: server.emulator)
        for words in [["--tag", "crowd"], ["--everyone"], ["--expression", "crowd && !news"]] {
            let outcome = try await Self.why(words + ["--format", "fcmv1"], server)
            #expect(outcome.output.hasPrefix("1203 devices would receive the message\n"), "\(words)")
        }
        let last = try await Self.why(["--installation", "crowd-1202"], server)
        #expect(last.output.hasPrefix("1 device would receive a message\n"))
    }

    @Test func `mentions other scheduled messages to the target, but does not blame them`() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let hub = server.makeClient(transport: server.emulator)
        try await Self.fill(hub)
        let id = try await hub.schedule(.template(["message": "a"]), to: .tag("news"), at: Self.due)
        _ = try await hub.schedule(.template(["message": "a"]), to: .tag("sports"), at: Self.due)
        let outcome = try await Self.why(["--tag", "news"], server)
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("1 device would receive a message\n"))
        let notes = outcome.output.split(separator: "\n").filter { $0.hasPrefix("note") }
        #expect(
            notes == ["note     the message \(id) to the same target is scheduled for \(Self.due.formatted(.iso8601))"])
    }

    @Test func `shows the devices, the filled templates and the last deliveries of a target without a problem`()
        async throws
    {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let hub = server.makeClient(transport: server.emulator)
        try await Self.fill(hub)
        _ = try await hub.send(.template(["message": "a", "city": "b"]), to: .tag("news"))
        try await NHubProgram.withFile(#"{"message":"Hi","city":"Rome"}"#) { file in
            let outcome = try await Self.why(["--user", "zoe", "--message", file], server)
            #expect(outcome.status == 0)
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines.first == "1 device would receive the message")
            #expect(lines.contains("target   --user zoe"))
            #expect(lines.contains("devices  1 in the target, 1 would receive it"))
            let device =
                #"device   phone-1  apple  receives it  tags alert,berlin,news  template alert: {"aps":{"alert":"Hi in Rome"}}"#
            #expect(lines.contains { $0.hasPrefix(device + "  last delivery 20") }, "\(outcome.output)")
        }
    }

    @Test func `reads more than 4 MiB of installations`() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        try await Self.fill(server.makeClient(transport: server.emulator))
        let text = String(repeating: "x", count: 30_000)
        for number in 0..<150 {
            var installation = Installation(
                id: try .init(validating: "large-\(number)"), pushChannel: .apple(deviceToken: [UInt8(number), 9]))
            installation.templates["alert"] = .init(body: #"{"aps":{"alert":"\#(text)"}}"#)
            try server.emulator.seed(installation)
        }
        let outcome = try await Self.why(["--tag", "newz"], server)
        #expect(outcome.output.hasPrefix("no device has the tag \"newz\"; did you mean \"news\"?"), "\(outcome.error)")
    }

    @Test func `prints everything as JSON`() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        try await Self.fill(server.makeClient(transport: server.emulator))
        let outcome = try await Self.why(["--user", "zoe", "--json", "message=Hi"], server)
        #expect(outcome.status == 1)
        let message =
            #"the message lacks the property \"city\" of the template \"alert\": phone-1 would show empty text"#
        #expect(
            outcome.output
                == #"{"summary":"\#(message)","causes":[{"code":"missingProperties","message":"\#(message)"}],"#
                + #""option":"--user","value":"zoe","format":"template","matchCount":1,"recipientCount":1,"devices":["#
                + #"{"installationId":"phone-1","platform":"apple","status":"receives it","tags":["alert","berlin","news"],"#
                + #""users":["zoe"],"templates":[{"name":"alert","text":"{\"aps\":{\"alert\":\"Hi in \"}}","#
                + #""missing":["city"]}]}],"notes":[]}"# + "\n")
    }

    @Test(arguments: [
        ([], "missing target: pass --tag, --expression, --installation, --user or --everyone"),
        (["--tag", "a", "--user", "b"], "more than one target: pass one of"),
        (["--tag", "a b"], "--tag: a tag contains an invalid character"),
        (["--tag", "a", "--test"], "--test requires a message"),
        (["--tag", "a", "--message", "x", "b=c"], "--message and NAME=VALUE cannot be combined"),
        (["--tag", "a", "--format", "apple", "b=c"], "NAME=VALUE is supported only for the format template"),
        (["--tag", "a", "--format", "symbian"], "--format: expected template"),
    ])
    func `rejects an invalid command line`(words: [String], message: String) async throws {
        try await NHubProgram.expectUsageError(["why"] + words, message)
    }

    /// Runs the command, and checks that the output omits the key and the devices' handles.
    static func why(_ words: [String], _ server: HubEmulator.Server) async throws -> BuiltProgram.Outcome {
        let outcome = try await NHubProgram.run(
            ["why"] + words, connectionString: server.connectionString,
            expectingRedacted: server.emulator.policies[0].key)
        #expect(!outcome.output.contains(Self.phoneHandle), "the output contains a handle")
        return outcome
    }
}
