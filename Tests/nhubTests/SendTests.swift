import NotificationHubsEmulatorServer
import HubServer
import HubText
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct SendTests {
    static let accepted = NHubProgram.response(
        201,
        [
            "Location": "https://h/push/messages/NH-1-01?api-version=2020-06", "TrackingId": "track",
            "x-ms-correlation-request-id": "correlate",
        ])
    static let alert = #"{"aps":{"alert":"Hello"}}"#

    @Test func `sends template values to the devices with a tag`() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        let phone = Installation(
            id: try .init(validating: "phone"), pushChannel: .apple(deviceToken: [1]), tags: ["news"],
            templates: ["t": .init(body: #"{"aps":{"alert":"{$(message) + $(empty)}"}}"#)])
        let hub = server.emulator
        let put = try await NHubProgram.run(
            ["installation", "put", "-"], connectionString: server.connectionString,
            expectingRedacted: hub.policies[0].key,
            input: String(decoding: phone.json, as: UTF8.self))
        #expect(put.status == 0)
        let outcome = try await NHubProgram.run(
            ["send", "template", "--tag", "news", "message=a=b \"c\"", "empty="],
            connectionString: server.connectionString, expectingRedacted: hub.policies[0].key)
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("accepted         the hub is sending the message\nnotification ID  NH-"))
        #expect(hub.deliveries.map(\.body) == [#"{"aps":{"alert":"a=b \"c\""}}"#])
    }

    private static let misplaced = #"{"message":{"priority":"high"}}"#
    private static let warning =
        "nhub: warning: Firebase will reject the message: message.priority: belongs to message.android: "
        + "move it to message.android.priority\n"

    @Test func `warns about what the platform will refuse, and sends it`() async throws {
        let (outcome, requests) = try await NHubProgram.run(
            ["send", "fcmv1", "--tag", "t", "--json", "-"], response: Self.accepted, input: Self.misplaced)
        #expect((outcome.status, outcome.error, requests.count) == (0, Self.warning, 1))
        #expect(
            outcome.output.contains(
                #""problems":[{"severity":"failure","platform":"fcmv1","path":"message.priority","#
                    + #""message":"belongs to message.android","remedy":"move it to message.android.priority"}]"#))
    }

    @Test(arguments: ["send", "schedule"])
    func `sends nothing that the platform would refuse with --strict`(command: String) async throws {
        let time = command == "schedule" ? ["--in", "1h"] : []
        let (outcome, requests) = try await NHubProgram.run(
            [command, "fcmv1", "--tag", "t", "--strict"] + time + ["-"], response: Self.accepted, input: Self.misplaced)
        #expect((outcome.status, outcome.output, requests.count) == (3, "", 0))
        #expect(outcome.error == Self.warning + "nhub: the message was not sent (--strict)\n")
    }

    @Test func `sends a message with --strict that has only warnings`() async throws {
        let (outcome, requests) = try await NHubProgram.run(
            ["send", "fcmv1", "--tag", "t", "--strict", "-"], response: Self.accepted,
            input: #"{"message":{"topic":"x"}}"#)
        #expect((outcome.status, requests.count) == (0, 1))
        #expect(outcome.error.hasPrefix("nhub: warning: Firebase: message.topic: the hub addresses each device itself"))
    }

    @Test func `sends headers with a template message`() async throws {
        let (outcome, requests) = try await NHubProgram.run(
            [
                "send", "template", "--tag", "t", "--push-type", "background", "--priority", "5", "--header",
                "X-WNS-TTL=60",
                "feed=7",
            ], response: Self.accepted)
        #expect((outcome.status, outcome.error) == (0, ""))
        let headers = ["apns-push-type": "background", "apns-priority": "5", "X-WNS-TTL": "60"]
        for (name, value) in headers { #expect(requests.first?.headers[name] == value) }
        #expect(requests.first?.headers["apns-topic"] == nil)
    }

    @Test(arguments: [
        ("<toast/>", "wns/toast", "wns/toast"), ("bytes", "wns/raw", "wns/raw"), ("<tile/>", "wns/toast", nil),
    ])
    func `takes the type of a notification for Windows from a header`(
        body: String, given: String, sent: String?
    ) async throws {
        let (outcome, requests) = try await NHubProgram.run(
            ["send", "windows", "--tag", "t", "--header", "x-wns-type=\(given)", "-"], response: Self.accepted,
            input: body)
        #expect(outcome.status == (sent == nil ? 2 : 0))
        #expect(requests.map { $0.headers["X-WNS-Type"] } == (sent.map { [$0] } ?? []))
    }

    @Test(arguments: [
        ("template", "Authorization=x", "must begin with apns-, X-WNS-, X-Baidu- or X-"),
        ("template", "apns-priority", "expected NAME=VALUE"), ("fcmv1", "a=b", "which has no headers"),
        ("apple", "X-WNS-TTL=5", "must begin with apns-"), ("apple", "apns-priority=high", "expected a number"),
    ])
    func `rejects a header that does not fit`(format: String, header: String, message: String) async throws {
        let words = ["send", format, "--tag", "t", "--header", header] + (format == "template" ? ["a=b"] : ["-"])
        try await NHubProgram.expectUsageError(words, message, input: Self.alert)
    }

    /// Target options and the expected header.
    static let targets: [([String], String?)] = [
        (["--tag", "news"], "news"), (["--tags", "a,b"], "a || b"), (["--tags=a"], "a"),
        (["--expression", "(a||b)&& !c"], "(a || b) && !c"), (["--installation", "x-1"], "$InstallationId:{x-1}"),
        (["--user", "zoe=1"], "$UserId:{zoe=1}"), (["--everyone"], nil),
    ]

    @Test(arguments: targets)
    func `sends to a target`(target: [String], header: String?) async throws {
        let (outcome, requests) = try await NHubProgram.run(
            ["send", "template", "message=x"] + target, response: Self.accepted)
        #expect((outcome.status, outcome.error) == (0, ""))
        #expect(requests.map(\.line) == ["POST /push/messages"])
        #expect(requests.first?.headers["ServiceBusNotification-Format"] == "template")
        #expect(requests.first?.headers["ServiceBusNotification-Tags"] == header)
        #expect(requests.first?.text == #"{"message":"x"}"#)
    }

    static let formats: [([String], String, [String: String], String)] = [
        (["apple"], alert, ["apns-push-type": "alert", "apns-priority": "10"], alert),
        (
            [
                "apple", "--push-type", "voip", "--priority=5", "--expires", "2030-01-01T00:00:00Z", "--topic",
                "a.b.voip",
                "--collapse-id", "c",
            ], alert,
            [
                "apns-push-type": "voip", "apns-priority": "5", "apns-expiration": "1893456000",
                "apns-topic": "a.b.voip", "apns-collapse-id": "c",
            ], alert
        ),
        (
            ["apple", "--expires=once"], #"{"aps":{"content-available":1}}"#,
            ["apns-push-type": "background", "apns-priority": "5", "apns-expiration": "0"],
            #"{"aps":{"content-available":1}}"#
        ),
        (["fcmv1"], #"{"message":{"data":{"a":"b"}}}"#, [:], #"{"message":{"data":{"a":"b"}}}"#),
        (["gcm"], "{}", [:], "{}"),
        (["adm"], "{}", [:], "{}"), (["baidu"], "{}", [:], "{}"), (["browser"], "{}", [:], "{}"),
        (["xiaomi"], "{}", [:], "{}"), (["windows"], "<toast/>", ["X-WNS-Type": "wns/toast"], "<toast/>"),
        (
            ["windows", "--raw"], "bytes", ["X-WNS-Type": "wns/raw", "Content-Type": "application/octet-stream"],
            "bytes"
        ),
        (
            ["windowsphone"], "<Notification><Toast/></Notification>", ["X-NotificationClass": "2"],
            "<Notification><Toast/></Notification>"
        ),
        (["windowsphone", "--raw"], "bytes", ["X-NotificationClass": "3"], "bytes"),
    ]

    @Test(arguments: representatives(formats))
    func `sends a platform's format from standard input and from a file`(
        words: [String], input: String, headers: [String: String], body: String
    ) async throws {
        let words = ["send"] + words + ["--tag", "news"]
        let first = try await NHubProgram.run(words + ["-"], response: Self.accepted, input: input)
        let second = try await NHubProgram.withFile(input) {
            try await NHubProgram.run(words + [$0], response: Self.accepted)
        }
        for (outcome, requests) in [first, second] {
            #expect((outcome.status, outcome.errorWithoutWarnings) == (0, ""))
            #expect(requests.map(\.line) == ["POST /push/messages"])
            #expect(requests.first?.text == body)
            #expect(requests.first?.headers["ServiceBusNotification-Format"] == words[1])
            #expect(requests.first?.headers["ServiceBusNotification-Tags"] == "news")
            for (name, value) in headers { #expect(requests.first?.headers[name] == value) }
        }
    }

    @Test(arguments: [
        ("apple", "AB01", alert), ("fcmv1", "token", "{}"), ("gcm", "id", "{}"), ("adm", "id", "{}"),
        ("baidu", "12-34", "{}"), ("xiaomi", "id", "{}"), ("windows", "https://example.com/c", "<tile/>"),
        ("windowsphone", "https://example.com/c", "<Notification><Tile/></Notification>"),
    ])
    func `sends to one device`(format: String, handle: String, body: String) async throws {
        let (outcome, requests) = try await NHubProgram.run(
            ["send", format, "--device", handle, "-"], response: Self.accepted, input: body)
        #expect((outcome.status, outcome.errorWithoutWarnings) == (0, ""))
        #expect(requests.map(\.target) == ["/push/messages?api-version=2020-06&direct=true"])
        #expect(requests.first?.headers["ServiceBusNotification-DeviceHandle"] == handle)
        #expect(requests.first?.headers["ServiceBusNotification-Tags"] == nil)
    }

    @Test func `prints the IDs of the message`() async throws {
        let words = ["send", "template", "--tag", "a", "x=1"]
        let text = try await NHubProgram.run(words, response: Self.accepted).outcome.output
        #expect(
            text == """
                accepted         the hub is sending the message
                notification ID  NH-1-01
                tracking ID      track
                correlation ID   correlate

                """)
        let json = try await NHubProgram.run(words + ["--json"], response: Self.accepted).outcome.output
        #expect(
            json == """
                {"accepted":true,"notificationId":"NH-1-01","trackingId":"track","correlationId":"correlate"}

                """)
    }

    @Test func `reports that the response has no ID`() async throws {
        let words = ["send", "template", "--tag", "a", "x=1"]
        let text = try await NHubProgram.run(words, response: NHubProgram.response(201)).outcome.output
        #expect(text.hasSuffix("notification ID  none (returned only in the Standard tier)\n"))
        let json = try await NHubProgram.run(words + ["--json"], response: NHubProgram.response(200)).outcome.output
        #expect(json == "{\"accepted\":true}\n")
    }

    @Test(arguments: [(1, 0, 0), (1, 1, 1)])
    func `prints the result of a test send for each device`(success: Int, failure: Int, status: Int32) async throws {
        let body = """
            <NotificationOutcome xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">\
            <Success>\(success)</Success><Failure>\(failure)</Failure><Results><RegistrationResult>\
            <ApplicationPlatform>apple</ApplicationPlatform><PnsHandle>AB01</PnsHandle>\
            <RegistrationId>1-2-3</RegistrationId><Outcome>It was sent</Outcome></RegistrationResult></Results>\
            </NotificationOutcome>
            """
        let words = ["send", "apple", "--tag", "a", "--test", "-"]
        let response = NHubProgram.response(201, body: body)
        let (outcome, requests) = try await NHubProgram.run(words, response: response, input: Self.alert)
        #expect(requests.map(\.target) == ["/push/messages?api-version=2020-06&test=true"])
        #expect(outcome.status == status)
        #expect(outcome.output.contains("failed           \(failure)\n"))
        #expect(outcome.output.contains("device           apple  It was sent  (registration 1-2-3)\n"))
        let json = try await NHubProgram.run(words + ["--json"], response: response, input: Self.alert).outcome
        #expect(
            json.output == """
                {"successCount":\(success),"failureCount":\(failure),"results":[{"platform":"apple",\
                "registrationId":"1-2-3","outcome":"It was sent"}]}

                """)
        #expect(json.status == status)

        // A device's handle is secret, so it requires --handles.
        let shown = try await NHubProgram.run(words + ["--handles"], response: response, input: Self.alert).outcome
        #expect(shown.output.contains("device           apple  AB01  It was sent  (registration 1-2-3)\n"))
        let object = try await NHubProgram.run(words + ["--handles", "--json"], response: response, input: Self.alert)
        #expect(object.outcome.output.contains(#"{"platform":"apple","handle":"AB01","registrationId":"1-2-3""#))
    }

    @Test func `reports that a test send found no device`() async throws {
        let body = "<NotificationOutcome><Success>0</Success><Failure>0</Failure><Results/></NotificationOutcome>"
        let (outcome, _) = try await NHubProgram.run(
            ["send", "template", "--everyone", "--test", "a=b"], response: NHubProgram.response(200, body: body))
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("device           none found\n"))
    }

    @Test(arguments: [
        (
            NHubProgram.response(403),
            "nhub: the hub does not allow the operation: the key's access policy lacks a right"
        ),
        (NHubProgram.error(400, "bad"), "nhub: the hub rejected the request: bad (400)\n"),
        (
            NHubProgram.error(500, "oops"),
            "nhub: delivery unknown: the hub may have accepted the message; sending it again"
        ),
        (NHubProgram.error(503, "busy"), "may deliver it twice: no definitive response: busy (503)\n"),
        (nil, "nhub: delivery unknown: the hub may have accepted the message; sending it again may deliver it twice: "),
    ])
    func `reports errors, and whether the delivery is unknown`(response: String?, message: String) async throws {
        let server = try RawServer { _ in response }
        defer { server.stop() }
        let outcome = try await NHubProgram.run(["send", "template", "--tag", "a", "x=1"], port: server.port)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(outcome.error.split(separator: "\n").count == 1)
        #expect(server.requests.count == 1)
    }

    @Test func `warns at an interrupt that the hub may have accepted the message`() async throws {
        let server = try RawServer(steps: { _ in [.waitForClient] })
        defer { server.stop() }
        let outcome = try await NHubProgram.run(["send", "template", "--tag", "a", "x=1"], port: server.port) {
            process in
            while server.requests.isEmpty { Thread.sleep(forTimeInterval: 0.01) }
            process.terminate()
        }
        #expect(outcome.status == 143)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("nhub: interrupted: the hub may have accepted the message"))
    }
}
