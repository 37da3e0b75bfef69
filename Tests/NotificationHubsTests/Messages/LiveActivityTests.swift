import Foundation
import NotificationHubs
import Testing

/// Live Activities, as Apple documents their JSON and headers.
@Suite struct LiveActivityTests {
    private typealias LiveActivity = PushNotification.LiveActivity

    private static let time = Date(timeIntervalSince1970: 1_700_000_000.9)

    private struct ContentState: Encodable {
        let home: Int
        let kickoff: Date
    }

    private func request(
        _ activity: LiveActivity, options: PushNotification.AppleOptions = .init()
    ) async throws -> HubRequest {
        let notification = try PushNotification.apple(
            liveActivity: activity, options: options)
        return try await TargetTests.request {
            try await $0.send(notification, to: .device(.apple(deviceToken: [0xab])))
        }
    }

    @Test func `encodes the start of an activity`() async throws {
        let request = try await request(
            .start(
                attributesType: "MatchAttributes", attributes: ["home": "A"], state: ["score": "0:0"],
                alert: .init(title: .localized(key: "START", arguments: ["A"]), body: "Kick-off", sound: "horn.caf"),
                timestamp: Self.time, staleDate: Self.time + 60, relevanceScore: 75))
        #expect(
            request.bodyText
                == #"{"aps":{"alert":{"body":"Kick-off","sound":"horn.caf","title":{"loc-args":["A"],"loc-key":"START"}},"#
                + #""attributes":{"home":"A"},"attributes-type":"MatchAttributes","content-state":{"score":"0:0"},"#
                + #""event":"start","relevance-score":75.0,"stale-date":1700000060,"timestamp":1700000000}}"#)
    }

    @Test func `encodes an update of an activity`() async throws {
        let request = try await request(.update(state: ["score": "1:0"], timestamp: Self.time))
        #expect(
            request.bodyText == #"{"aps":{"content-state":{"score":"1:0"},"event":"update","timestamp":1700000000}}"#)
        #expect(
            request.messageHeaders.filter { $0.key.hasPrefix("apns-") } == [
                "apns-push-type": "liveactivity", "apns-priority": "10",
            ])
    }

    @Test func `encodes the end of an activity`() async throws {
        let final = try await request(
            .end(state: ["score": "2:1"], timestamp: Self.time, dismissalDate: Date(timeIntervalSince1970: 0)))
        #expect(
            final.bodyText
                == #"{"aps":{"content-state":{"score":"2:1"},"dismissal-date":0,"event":"end","timestamp":1700000000}}"#
        )
        let last = try await request(.end(timestamp: Self.time))
        #expect(last.bodyText == #"{"aps":{"event":"end","timestamp":1700000000}}"#)
    }

    @Test func `encodes a state as the app decodes it`() async throws {
        let state = try JSONObject(encoding: ContentState(home: 2, kickoff: Date(timeIntervalSinceReferenceDate: 5)))
        let request = try await request(.update(state: state, timestamp: Self.time))
        #expect(request.bodyText.contains(#""content-state":{"home":2,"kickoff":5}"#))
    }

    @Test func `prefers the caller's priority and collapse ID`() async throws {
        let request = try await request(
            .update(state: [:], timestamp: Self.time), options: .init(priority: .normal, collapseID: "c"))
        #expect(request.headers["apns-priority"] == "5")
        #expect(request.headers["apns-collapse-id"] == "c")
    }

    @Test func `rejects values that Apple would reject`() {
        let alert = LiveActivity.Alert(title: "a", body: "b")
        let update = LiveActivity.update(state: [:], timestamp: Self.time)
        let long = String(repeating: "x", count: PushNotification.maximumAppleByteCount)
        let cases: [(LiveActivity, PushNotification.AppleOptions, HubValidationError.Code, String?)] = [
            (update, .init(topic: "a\r\nb"), .invalidHeader, "apns-topic"),
            (update, .init(priority: .low), .invalidHeader, "apns-priority"),
            (update, .init(pushType: .alert), .invalidHeader, "apns-push-type"),
            (
                .start(attributesType: "", attributes: [:], state: [:], alert: alert, timestamp: Self.time),
                .init(), .invalidPayload, "aps/attributes-type"
            ),
            (
                .update(state: [:], timestamp: Date(timeIntervalSince1970: .nan)), .init(), .invalidDate,
                "aps/timestamp"
            ),
            (
                .update(state: [:], timestamp: Self.time, staleDate: .distantPast), .init(), .invalidDate,
                "aps/stale-date"
            ),
            (
                .end(timestamp: Self.time, dismissalDate: Date(timeIntervalSince1970: .infinity)), .init(),
                .invalidDate, "aps/dismissal-date"
            ),
            (
                .update(state: [:], timestamp: Self.time, relevanceScore: .infinity), .init(), .invalidPayload,
                "aps/relevance-score"
            ),
            (.update(state: ["a": .string(long)], timestamp: Self.time), .init(), .payloadTooLarge, nil),
        ]
        for (activity, options, code, path) in cases {
            let error = #expect(throws: HubValidationError.self) {
                try PushNotification.apple(liveActivity: activity, options: options)
            }
            #expect(error?.code == code)
            #expect(error?.path == path)
        }
    }
}
