import Foundation
import HubTestSupport
import NotificationHubs
import Testing

@Suite struct OutcomeTests {
    @Test func `reads every member of a notification's telemetry`() async throws {
        let transport = try Self.transport("hub/notification-details.xml")
        let outcome = try await NotificationHub.scripted(transport).outcome(of: PushNotification.ID(validating: "NH-1"))
        #expect(transport.requests.map(\.method) == [.get])
        #expect(
            transport.requests.first?.url
                == "https://contoso.servicebus.windows.net/push/messages/NH-1?api-version=2020-06")
        #expect(outcome.notificationID?.rawValue == "NH-1")
        #expect(outcome.location == "sb://contoso.servicebus.windows.net/push/messages/NH-1?api-version=2020-06")
        #expect(outcome.state == .completed)
        #expect(outcome.enqueueTime == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(outcome.startTime == Date(timeIntervalSince1970: 1_700_000_001))
        #expect(outcome.endTime == Date(timeIntervalSince1970: 1_700_000_002))
        #expect(outcome.body == #"{"aps":{"alert":"<Hello>"}}"#)
        #expect(outcome.tags == "news && !sports")
        #expect(outcome.targetPlatforms == [.windows, .apple, .gcm])
        #expect(outcome.errorDetailsURL == "https://store.example/errors?sig=x&y")
        #expect(outcome.counts[PushPlatform(rawValue: "apns")] == [.success: 3, .badChannel: 1])
        #expect(
            outcome.counts[PushPlatform(rawValue: "fcmV1")] == [.init(rawValue: "SomethingNew"): 2, .throttled: 5])
        let rest = ["mpns", "wns", "gcm", "adm", "fcm", "baidu", "browser"]
        for (index, name) in rest.enumerated() {
            #expect(outcome.counts[PushPlatform(rawValue: name)] == [.success: index + 10])
        }
        #expect(outcome.counts.count == rest.count + 2)
        #expect("\(outcome)".hasPrefix("Completed; Adm: Success 13; Apns: BadChannel 1, Success 3; "))
        #expect(!everythingPrinted(of: outcome).contains("sig="))
        #expect(everythingPrinted(of: outcome).contains("<Hello>"))
    }

    @Test func `ignores missing and malformed parts`() async throws {
        let bodies = [
            "<NotificationDetails/>",
            """
            <NotificationDetails><State/><EnqueueTime>soon</EnqueueTime><ApnsOutcomeCounts><Outcome><Name>Success</Name>\
            <Count>many</Count></Outcome><Outcome/></ApnsOutcomeCounts><OutcomeCounts/><Other/></NotificationDetails>
            """,
        ]
        for body in bodies {
            let transport = ScriptedTransport { _ in HubResponse(status: 200, body: Array(body.utf8)) }
            let outcome = try await NotificationHub.scripted(transport).outcome(
                of: PushNotification.ID(validating: "i"))
            #expect(outcome.state == nil)
            #expect(outcome.enqueueTime == nil)
            #expect(outcome.counts.isEmpty)
        }
        let overflowing =
            "<NotificationDetails><WnsOutcomeCounts>"
            + String(repeating: "<Outcome><Name>Success</Name><Count>\(Int.max)</Count></Outcome>", count: 3)
            + "</WnsOutcomeCounts></NotificationDetails>"
        let transport = ScriptedTransport { _ in HubResponse(status: 200, body: Array(overflowing.utf8)) }
        let outcome = try await NotificationHub.scripted(transport).outcome(of: PushNotification.ID(validating: "i"))
        #expect(outcome.counts[PushPlatform(rawValue: "wns")] == [.success: .max])
    }

    @Test(arguments: ["", "not XML", "<Other/>", "<NotificationDetails>", "{}"])
    func `rejects an invalid response`(body: String) async throws {
        let headers: HubHeaders = ["TrackingId": "t-1", "x-ms-correlation-request-id": "c-1"]
        let transport = ScriptedTransport { _ in HubResponse(status: 200, headers: headers, body: Array(body.utf8)) }
        let hub = try NotificationHub.scripted(transport)
        let calls: [() async throws -> Void] = [
            { _ = try await hub.outcome(of: PushNotification.ID(validating: "i")) },
            { _ = try await hub.testSend(.template([:]), to: .tag("t")) },
            { _ = try await hub.installation(Installation.ID.random()) },
        ]
        for call in calls {
            let error = await #expect(throws: HubError.self) { try await call() }
            #expect((error?.code, error?.status) == (.invalidResponse, 200))
            #expect((error?.trackingID, error?.correlationID) == ("t-1", "c-1"))
        }
    }

    @Test(arguments: [
        ("completed", true), ("COMPLETED", true), ("Abandoned", true), ("NoTargetFound", true), ("Cancelled", true),
        ("Canceled", true), ("Unknown", false), ("Enqueued", false), ("Scheduled", false), ("Processing", false),
        ("DetailedStateAvailable", false), ("SomethingNew", false),
    ])
    func `recognizes terminal states regardless of case`(name: String, isTerminal: Bool) {
        typealias State = PushNotification.Outcome.State
        #expect(State(rawValue: name).isTerminal == isTerminal)
        #expect(State(rawValue: name.uppercased()) == State(rawValue: name.lowercased()))
        #expect(State(rawValue: "Canceled") == .cancelled)
        let differs = State(rawValue: "CANCELED") != .cancelled
        #expect(!differs)
        #expect(State(rawValue: "Canceled").hashValue == State.cancelled.hashValue)
    }

    @Test func `reads the outcome of a test send`() async throws {
        let transport = try Self.transport("hub/test-send.xml", status: 201, location: "https://h/push/messages/NH-2")
        let outcome = try await NotificationHub.scripted(transport).testSend(.template(["a": "b"]), to: .tag("t"))
        let request = try #require(transport.requests.first)
        #expect(Set(request.query.split(separator: "&")) == ["api-version=2020-06", "test=true"])
        #expect(request.headers["ServiceBusNotification-Tags"] == "t")
        #expect(outcome.receipt.notificationID?.rawValue == "NH-2")
        #expect((outcome.successCount, outcome.failureCount) == (1, 2))
        #expect(outcome.results.map(\.platform) == [.apple, .windows])
        #expect(outcome.results.map(\.handle) == ["AB01", "https://db3.notify.example/?token=a&b"])
        #expect(outcome.results.map(\.registrationID?.rawValue) == ["1-2", nil])
        #expect(
            outcome.results.first?.outcome == "The Notification was successfully sent to the Push Notification System")
        for handle in ["AB01", "token=a"] { #expect(!everythingPrinted(of: outcome).contains(handle)) }
    }

    @Test func `reads the outcome of a test send without devices`() async throws {
        let transport = try Self.transport("hub/test-send-empty.xml")
        let outcome = try await NotificationHub.scripted(transport).testSend(.template([:]), to: .tag("t"))
        #expect((outcome.successCount, outcome.failureCount) == (0, 0))
        #expect(outcome.results.isEmpty)
    }

    private static func transport(_ fixture: String, status: Int = 200, location: String? = nil) throws
        -> ScriptedTransport
    {
        let body = Array(try Data(contentsOf: Fixtures.url(fixture)))
        return ScriptedTransport { _ in
            var response = HubResponse(status: status, body: body)
            response.headers["Location"] = location
            return response
        }
    }
}
