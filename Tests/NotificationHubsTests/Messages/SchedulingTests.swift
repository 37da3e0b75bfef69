import Foundation
import Testing

@testable import NotificationHubs

@Suite struct SchedulingTests {
    @Test func `sends the time in UTC without a time zone`() async throws {
        let request = try await TargetTests.request {
            _ = try await $0.schedule(
                .template(["a": "b"]), to: .tags(["x", "y"]), at: Date(timeIntervalSince1970: 1_709_251_199.999),
                now: Date(timeIntervalSince1970: 1_709_000_000))
        }
        #expect(request.url == "https://contoso.servicebus.windows.net/push/schedulednotifications?api-version=2020-06")
        #expect(request.headers["ServiceBusNotification-ScheduleTime"] == "2024-02-29T23:59:59")
        #expect(request.headers["ServiceBusNotification-Tags"] == "x || y")
        #expect(request.headers["ServiceBusNotification-Format"] == "template")
        #expect(request.bodyText == #"{"a":"b"}"#)
    }

    @Test(arguments: [0, 999, 1000, .nan, -.infinity, .infinity, 1e300, 253_402_300_800])
    func `rejects past and invalid times`(seconds: Double) async throws {
        let error = try await TargetTests.validationError {
            _ = try await $0.schedule(
                .template([:]), to: .tag("t"), at: Date(timeIntervalSince1970: seconds),
                now: Date(timeIntervalSince1970: 1000))
        }
        #expect(error?.code == .invalidDate)
    }

    @Test func `cancels a notification by its ID`() async throws {
        let id = "b7-20181107001832_33331921_17_QNHQueue-S68116944391983712"
        let transport = ScriptedTransport { request in
            request.method == .post
                ? HubResponse(
                    status: 201,
                    headers: ["Location": "https://h/push/schedulednotifications/\(id)?api-version=2017-04"])
                : HubResponse(status: 200)
        }
        let hub = try NotificationHub.scripted(transport)
        let scheduled = try await hub.schedule(.template([:]), to: .everyone, at: Date(timeIntervalSinceNow: 600))
        #expect(try await hub.cancelScheduledNotification(scheduled))
        #expect(transport.requests.last?.method == .delete)
        #expect(transport.requests.last?.path == "/push/schedulednotifications/\(id)")
    }

    @Test(arguments: [nil, "https://h/push/schedulednotifications/..", "https://h/push/schedulednotifications/$x"])
    func `fails if the response has no ID`(location: String?) async throws {
        let transport = ScriptedTransport { _ in
            HubResponse(status: 201, headers: location.map { ["Location": $0] } ?? [:])
        }
        let hub = try NotificationHub.scripted(transport)
        let error = await #expect(throws: HubError.self) {
            try await hub.schedule(.template([:]), to: .everyone, at: Date(timeIntervalSinceNow: 600))
        }
        #expect(error?.code == .mayHaveBeenAccepted)
        #expect(error?.status == 201)
        #expect(transport.requests.count == 1)
    }

    @Test func `returns false when the notification is not found`() async throws {
        let id = try PushNotification.ID(validating: "x")
        let missing = ScriptedTransport { _ in HubResponse(status: 404) }
        #expect(try await !NotificationHub.scripted(missing).cancelScheduledNotification(id))
        let forbidden = ScriptedTransport { _ in HubResponse(status: 403) }
        await #expect(throws: HubError.self) {
            try await NotificationHub.scripted(forbidden).cancelScheduledNotification(id)
        }
    }
}

@Suite struct NotificationIDTests {
    @Test(arguments: [
        ("https://h/push/messages/NH-1-06?api-version=2020-06", "NH-1-06"),
        ("https://h/push/messages/$batch/b7-1?x=/y", "b7-1"), ("/push/messages/a_b.c#/d", "a_b.c"),
        ("https://h/push/messages/x/", "x"), ("x", "x"),
    ])
    func `reads the last segment of a Location`(location: String, id: String) async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 201, headers: ["Location": location]) }
        let receipt = try await NotificationHub.scripted(transport).send(.template([:]), to: .tag("t"))
        #expect(receipt.notificationID?.rawValue == id)
    }

    @Test(arguments: [
        "", "/", "https://h/push/messages/..", "https://h/a b", "é", "a%2fb", "?x",
        "https://h/push/messages/$batch",
    ])
    func `ignores a Location without a valid ID`(location: String) async throws {
        let transport = ScriptedTransport { _ in HubResponse(status: 201, headers: ["Location": location]) }
        let receipt = try await NotificationHub.scripted(transport).send(.template([:]), to: .tag("t"))
        #expect(receipt.notificationID == nil)
        #expect(throws: HubValidationError.self) { try PushNotification.ID(validating: location) }
    }

    @Test func `accepts at most 512 characters`() throws {
        let longest = String(repeating: "x", count: PushNotification.ID.maximumLength)
        #expect(try PushNotification.ID(validating: longest).rawValue.count == 512)
        #expect(throws: HubValidationError.self) { try PushNotification.ID(validating: longest + "x") }
    }
}
