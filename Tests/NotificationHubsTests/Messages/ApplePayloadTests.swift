import Foundation
import NotificationHubs
import Testing

/// Alerts and background notifications, as Apple documents their JSON and headers.
@Suite struct ApplePayloadTests {
    private typealias Alert = PushNotification.AppleAlert

    private func request(_ notification: PushNotification) async throws -> HubRequest {
        try await TargetTests.request { try await $0.send(notification, to: .tag("t")) }
    }

    @Test func `encodes every property of an alert`() async throws {
        var alert = Alert(
            title: "Goal", subtitle: .localized(key: "MINUTE", arguments: ["90"]), body: .localized(key: "SCORE"),
            badge: 0, sound: .critical(named: "horn.caf", volume: 0.5), data: ["match": 7, "teams": ["a", "b"]])
        alert.threadID = "match-7"
        alert.category = "GOAL"
        alert.interruptionLevel = .timeSensitive
        alert.relevanceScore = 0.25
        alert.isMutable = true
        alert.wakesApp = true
        alert.targetContentID = "window"
        alert.filterCriteria = "football"
        let request = try await request(.apple(alert: alert))
        #expect(
            request.bodyText
                == #"{"aps":{"alert":{"loc-key":"SCORE","subtitle-loc-args":["90"],"subtitle-loc-key":"MINUTE","title":"Goal"},"#
                + #""badge":0,"category":"GOAL","content-available":1,"filter-criteria":"football","#
                + #""interruption-level":"time-sensitive","mutable-content":1,"relevance-score":0.25,"#
                + #""sound":{"critical":1,"name":"horn.caf","volume":0.5},"target-content-id":"window","thread-id":"match-7"},"#
                + #""match":7,"teams":["a","b"]}"#)
        #expect(request.headers["apns-push-type"] == "alert")
        #expect(request.headers["apns-priority"] == "10")
    }

    @Test func `encodes localized texts with Apple's names`() async throws {
        let text = Alert.Text.localized(key: "K", arguments: ["1", "2"])
        let request = try await request(.apple(alert: Alert(title: text, body: text)))
        #expect(
            request.bodyText
                == #"{"aps":{"alert":{"loc-args":["1","2"],"loc-key":"K","title-loc-args":["1","2"],"title-loc-key":"K"}}}"#
        )
    }

    @Test(arguments: [
        (Alert(badge: 3), #"{"aps":{"badge":3}}"#), (Alert(sound: .default), #"{"aps":{"sound":"default"}}"#),
        (Alert(sound: .named("a.caf")), #"{"aps":{"sound":"a.caf"}}"#),
        (Alert(body: "\("é")\n"), "{\"aps\":{\"alert\":{\"body\":\"é\\n\"}}}"),
    ])
    private func `omits absent properties of an alert`(alert: Alert, json: String) async throws {
        #expect(try await request(.apple(alert: alert)).bodyText == json)
    }

    @Test func `encodes a background notification with priority 5 and without an alert`() async throws {
        let request = try await request(
            .apple(backgroundData: ["feed": 7], options: .init(topic: "com.example.app", collapseID: "feed")))
        #expect(request.bodyText == #"{"aps":{"content-available":1},"feed":7}"#)
        #expect(
            request.messageHeaders.filter { $0.key.hasPrefix("apns-") } == [
                "apns-push-type": "background", "apns-priority": "5", "apns-topic": "com.example.app",
                "apns-collapse-id": "feed",
            ])
    }

    @Test func `rejects values that Apple would reject`() {
        var score = Alert(body: "a")
        score.relevanceScore = 1.5
        let long = String(repeating: "x", count: PushNotification.maximumAppleByteCount)
        let cases: [(() throws -> PushNotification, HubValidationError.Code, String?)] = [
            ({ try .apple(alert: Alert()) }, .invalidPayload, "aps"),
            ({ try .apple(alert: Alert(data: ["a": 1])) }, .invalidPayload, "aps"),
            ({ try .apple(alert: Alert(badge: -1)) }, .invalidPayload, "aps/badge"),
            ({ try .apple(alert: Alert(sound: .critical(volume: -0.1))) }, .invalidPayload, "aps/sound/volume"),
            ({ try .apple(alert: Alert(sound: .critical(volume: .nan))) }, .invalidPayload, "aps/sound/volume"),
            ({ try .apple(alert: score) }, .invalidPayload, "aps/relevance-score"),
            ({ try .apple(alert: Alert(body: "a", data: ["aps": 1])) }, .invalidPayload, "data/aps"),
            ({ try .apple(alert: Alert(body: .text(long))) }, .payloadTooLarge, nil),
            (
                { try .apple(alert: Alert(body: "a"), options: .init(pushType: .voip)) }, .invalidHeader,
                "apns-push-type"
            ),
            ({ try .apple(backgroundData: ["aps": [:]]) }, .invalidPayload, "data/aps"),
            ({ try .apple(backgroundData: ["a": .string(long)]) }, .payloadTooLarge, nil),
            (
                { try .apple(backgroundData: [:], options: .init(priority: .immediate)) }, .invalidHeader,
                "apns-priority"
            ),
            (
                { try .apple(backgroundData: [:], options: .init(pushType: .alert)) }, .invalidHeader,
                "apns-push-type"
            ),
        ]
        for (make, code, path) in cases {
            let error = #expect(throws: HubValidationError.self) { try make() }
            #expect(error?.code == code)
            #expect(error?.path == path)
        }
    }

    @Test func `accepts an alert of exactly 4 KB`() throws {
        let overhead = #"{"aps":{"alert":{"body":""}}}"#.utf8.count
        let body = String(repeating: "x", count: 4096 - overhead)
        _ = try PushNotification.apple(alert: Alert(body: .text(body)))
        #expect(throws: HubValidationError.self) { try PushNotification.apple(alert: Alert(body: .text(body + "x"))) }
    }

    @Test func `prints the content of typed payloads`() throws {
        let alert = Alert(
            title: "sesame", body: .localized(key: "sesame", arguments: ["sesame"]), data: ["a": "sesame"])
        let liveAlert = PushNotification.LiveActivity.Alert(title: "sesame", body: "sesame")
        let data: JSONObject = ["a": "sesame", "b": ["sesame", ["c": "sesame"]]]
        let values: [Any] = [
            alert, alert.title as Any, alert.body as Any, liveAlert, data, data["b"] as Any,
            PushNotification.LiveActivity.start(
                attributesType: "A", attributes: data, state: data, alert: liveAlert, timestamp: .distantPast),
            PushNotification.FCMMessage(
                notification: .init(title: "sesame"), data: ["a": "sesame"],
                android: .init(notification: .init(title: "sesame")), web: .init(data: ["a": "sesame"])),
            PushNotification.FCMMessage.Notification(title: "sesame"),
            PushNotification.FCMMessage.Android(notification: .init(body: "sesame")),
            PushNotification.FCMMessage.Web(data: ["a": "sesame"], notification: data),
            PushNotification.FCMMessage.Apple(payload: data),
            PushNotification.BrowserMessage(title: "sesame", data: data), try PushNotification.apple(alert: alert),
        ]
        for value in values {
            #expect("\(value)".contains("sesame"), "\(type(of: value))")
        }
    }
}
