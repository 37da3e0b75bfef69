import HubText
import HubServer
import Foundation
import HubLock
import HubTestSupport
import NotificationHubsTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct OutcomeTests {
    // MARK: schedule and cancel

    @Test func `schedules a message at a time`() async throws {
        let response = NHubProgram.response(
            201, ["Location": "https://h/push/schedulednotifications/s-1?api-version=2020-06"])
        let words = ["schedule", "template", "--tag", "news", "--at", "2100-01-01T02:00:00+01:00", "message=x"]
        let (outcome, requests) = try await NHubProgram.run(words, response: response)
        #expect(
            outcome.output == """
                accepted         the hub will send the message later
                time             2100-01-01T01:00:00Z
                notification ID  s-1

                """)
        #expect((outcome.status, outcome.error) == (0, ""))
        #expect(requests.map(\.line) == ["POST /push/schedulednotifications"])
        #expect(requests.first?.headers["ServiceBusNotification-ScheduleTime"] == "2100-01-01T01:00:00")
        #expect(requests.first?.headers["ServiceBusNotification-Tags"] == "news")
        #expect(requests.first?.text == #"{"message":"x"}"#)
        #expect(
            try await NHubProgram.run(words + ["--json"], response: response).outcome.output == """
                {"accepted":true,"scheduledFor":"2100-01-01T01:00:00Z","notificationId":"s-1"}

                """)
    }

    @Test(arguments: [("90s", 90), ("10m", 600), ("2h", 7200), ("1d", 86_400)])
    func `schedules a message after a duration`(span: String, seconds: Double) async throws {
        let earliest = Date().timeIntervalSince1970.rounded(.down) + seconds
        let (outcome, requests) = try await NHubProgram.run(
            ["schedule", "apple", "--everyone", "--in", span, "-"],
            response: NHubProgram.response(201, ["Location": "https://h/push/schedulednotifications/s-1"]),
            input: SendTests.alert)
        let latest = Date().timeIntervalSince1970 + seconds
        #expect(outcome.status == 0)
        let text = try #require(requests.first?.headers["ServiceBusNotification-ScheduleTime"])
        let time = try Date(text + "Z", strategy: .iso8601).timeIntervalSince1970
        #expect((earliest...latest).contains(time))
        #expect(requests.first?.headers["ServiceBusNotification-Tags"] == nil)
    }

    @Test(arguments: [
        (NHubProgram.response(200), 0, "cancelled  s-1\n", true),
        (NHubProgram.error(404, "gone"), 1, "not cancelled  the hub has no such scheduled message: ", false),
    ])
    func `cancels a scheduled message, or reports that it does not exist`(
        response: String, status: Int32, text: String, isCancelled: Bool
    ) async throws {
        let (outcome, requests) = try await NHubProgram.run(["cancel", "s-1"], response: response)
        #expect(outcome.status == status)
        #expect(outcome.output.hasPrefix(text))
        #expect(outcome.error.isEmpty)
        #expect(requests.map(\.line) == ["DELETE /push/schedulednotifications/s-1"])
        let json = try await NHubProgram.run(["cancel", "s-1", "--json"], response: response).outcome
        #expect(json.output == "{\"notificationId\":\"s-1\",\"cancelled\":\(isCancelled)}\n")
        #expect(json.status == status)
    }

    // MARK: outcome

    static func details(_ state: String) -> String {
        NHubProgram.response(
            200,
            body: """
                <NotificationDetails xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">\
                <NotificationId>NH-1</NotificationId><Location>sb://h/push/messages/NH-1</Location><State>\(state)</State>\
                <EnqueueTime>2026-11-21T10:00:00.123Z</EnqueueTime><StartTime>2026-11-21T10:00:01Z</StartTime>\
                <EndTime>2026-11-21T10:00:02Z</EndTime><NotificationBody>{"a":"b"}</NotificationBody><Tags>news</Tags>\
                <TargetPlatforms>apple,windows</TargetPlatforms><ApnsOutcomeCounts><Outcome><Name>Success</Name>\
                <Count>3</Count></Outcome><Outcome><Name>BadChannel</Name><Count>1</Count></Outcome></ApnsOutcomeCounts>\
                <PnsErrorDetailsUri>https://blob/list?sig=hidden-url</PnsErrorDetailsUri></NotificationDetails>
                """)
    }

    @Test func `prints the outcome without the secret URL`() async throws {
        let (outcome, requests) = try await NHubProgram.run(["outcome", "NH-1"], response: Self.details("Completed"))
        #expect(
            outcome.output == """
                notification ID  NH-1
                state            Completed
                enqueued         2026-11-21T10:00:00Z
                started          2026-11-21T10:00:01Z
                ended            2026-11-21T10:00:02Z
                tags             news
                platforms        apple, windows
                Apns             BadChannel 1, Success 3
                body             {"a":"b"}
                location         sb://h/push/messages/NH-1
                error details    available; --error-details shows the URL, which is secret

                """)
        #expect(!outcome.output.contains("hidden-url"))
        #expect((outcome.status, outcome.error) == (0, ""))
        #expect(requests.map(\.line) == ["GET /push/messages/NH-1"])
    }

    @Test func `prints a JSON object with --json`() async throws {
        let (outcome, _) = try await NHubProgram.run(
            ["outcome", "NH-1", "--json"], response: Self.details("Processing"))
        #expect(
            outcome.output == #"""
                {"notificationId":"NH-1","state":"Processing","isTerminal":false,"enqueueTime":"2026-11-21T10:00:00Z",\#
                "startTime":"2026-11-21T10:00:01Z","endTime":"2026-11-21T10:00:02Z","tags":"news",\#
                "targetPlatforms":["apple","windows"],"counts":{"Apns":{"BadChannel":1,"Success":3}},\#
                "body":"{\"a\":\"b\"}","location":"sb://h/push/messages/NH-1","hasErrorDetails":true}

                """#)
        #expect(outcome.status == 0)
    }

    @Test func `prints the secret URL with --error-details`() async throws {
        let response = Self.details("Completed")
        let (outcome, _) = try await NHubProgram.run(["outcome", "NH-1", "--error-details"], response: response)
        #expect(outcome.output.hasSuffix("error details    https://blob/list?sig=hidden-url\n"))
    }

    @Test func `polls until the state is terminal`() async throws {
        let count = Locked(0)
        let server = try RawServer { _ in
            switch count.withLock({
                $0 += 1; return $0
            }) {
            case 1: NHubProgram.error(404, "not yet")
            case 2: Self.details("Processing")
            default: Self.details("NoTargetFound")
            }
        }
        defer { server.stop() }
        let outcome = try await NHubProgram.run(["outcome", "--wait=30s", "NH-1"], port: server.port)
        #expect(outcome.status == 0)
        #expect(outcome.error == "nhub: Processing\n")
        #expect(outcome.output.contains("state            NoTargetFound\n"))
        #expect(server.requests.count == 3)
    }

    @Test(arguments: [
        (["--wait=1s"], NHubProgram.error(404, "not yet"), "nhub: the hub has no outcome of the message after 1 s\n"),
        (["--wait=1s"], details("Processing"), "nhub: the state is not terminal after 1 s\n"),
        ([], NHubProgram.error(404, "not yet"), "nhub: no outcome of message \"NH-1\" yet (404)\n"),
        ([], NHubProgram.response(403), "nhub: the hub does not allow the operation"),
    ])
    func `exits with 1 if there is no outcome or terminal state`(options: [String], response: String, message: String)
        async throws
    {
        let (outcome, _) = try await NHubProgram.run(["outcome", "NH-1"] + options, response: response)
        #expect(outcome.status == 1)
        #expect(outcome.error.contains(message), "\(outcome.error)")
    }
}
