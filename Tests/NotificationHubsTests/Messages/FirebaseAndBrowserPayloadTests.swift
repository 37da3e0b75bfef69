import NotificationHubs
import Testing

/// Messages for Firebase (HTTP v1 API) and browsers, as Google and Microsoft document their JSON.
@Suite struct FirebaseAndBrowserPayloadTests {
    private typealias Message = PushNotification.FCMMessage

    private func body(_ notification: PushNotification) async throws -> String {
        try await TargetTests.request { try await $0.send(notification, to: .tag("t")) }.bodyText
    }

    @Test func `wraps an FCM message`() async throws {
        #expect(try await body(.fcmV1(message: Message(data: ["id": "7"]))) == #"{"message":{"data":{"id":"7"}}}"#)
        #expect(try await body(.fcmV1(message: Message())) == #"{"message":{}}"#)
    }

    @Test func `encodes every part of an FCM message`() async throws {
        let message = Message(
            notification: .init(title: "Goal", body: "2:1", image: "https://example.com/a.png"), data: ["match": "7"],
            android: .init(
                priority: .high, timeToLive: .milliseconds(3500), collapseKey: "match",
                restrictedPackageName: "com.example",
                notification: .init(
                    title: "t", body: "b", channelID: "goals", icon: "ball", color: "#ff0000", sound: "default",
                    tag: "match-7", clickAction: "OPEN", image: "https://example.com/b.png")),
            apple: .init(headers: ["apns-priority": "10"], payload: ["aps": ["badge": 1]]),
            web: .init(
                headers: ["Urgency": "high"], data: ["a": "b"], notification: ["icon": "/i.png"],
                link: "https://example.com/7"))
        #expect(
            try await body(.fcmV1(message: message))
                == #"{"message":{"android":{"collapse_key":"match","notification":{"body":"b","channel_id":"goals","#
                + ##""click_action":"OPEN","color":"#ff0000","icon":"ball","image":"https://example.com/b.png","##
                + #""sound":"default","tag":"match-7","title":"t"},"priority":"HIGH","#
                + #""restricted_package_name":"com.example","ttl":"3.5s"},"#
                + #""apns":{"headers":{"apns-priority":"10"},"payload":{"aps":{"badge":1}}},"data":{"match":"7"},"#
                + #""notification":{"body":"2:1","image":"https://example.com/a.png","title":"Goal"},"#
                + #""webpush":{"data":{"a":"b"},"fcm_options":{"link":"https://example.com/7"},"#
                + #""headers":{"Urgency":"high"},"notification":{"icon":"/i.png"}}}}"#)
    }

    @Test(arguments: [
        (Duration.zero, "0s"), (.seconds(2_419_200), "2419200s"), (.nanoseconds(1), "0.000000001s"),
        (.milliseconds(60_050), "60.05s"),
    ])
    func `encodes a time to live as Google writes durations`(time: Duration, text: String) async throws {
        let message = Message(android: .init(timeToLive: time))
        #expect(try await body(.fcmV1(message: message)) == #"{"message":{"android":{"ttl":"\#(text)"}}}"#)
    }

    @Test(arguments: [
        (Message(data: ["from": "a"]), "message.data.from"),
        (Message(data: ["message_type": "a"]), "message.data.message_type"),
        (Message(data: ["google.x": "a"]), "message.data.google.x"),
        (Message(data: ["gcm.notification.e": "a"]), "message.data.gcm.notification.e"),
        (Message(web: .init(data: ["from": "a"])), "message.webpush.data.from"),
        (Message(android: .init(timeToLive: .seconds(-1))), "message.android.ttl"),
        (Message(android: .init(timeToLive: .seconds(2_419_201))), "message.android.ttl"),
    ])
    private func `rejects values that Firebase would reject`(message: Message, path: String) {
        let error = #expect(throws: HubValidationError.self) { try PushNotification.fcmV1(message: message) }
        #expect(error?.code == .invalidPayload)
        #expect(error?.path == path)
    }

    @Test func `rejects more than 4 KB of data and notification`() throws {
        let text = String(repeating: "x", count: 4093)
        _ = try PushNotification.fcmV1(message: Message(notification: .init(title: "é"), data: ["a": text]))
        let error = #expect(throws: HubValidationError.self) {
            try PushNotification.fcmV1(message: Message(notification: .init(title: "éx"), data: ["a": text]))
        }
        #expect(error?.code == .payloadTooLarge)
    }

    @Test func `encodes a browser's message with the names of notification options`() async throws {
        #expect(try await body(.browser(message: .init(title: "t"))) == #"{"title":"t"}"#)
        let message = PushNotification.BrowserMessage(
            title: "Goal", body: "2:1", icon: "/i.png", image: "/m.png", badge: "/b.png", tag: "match-7",
            data: ["url": "/matches/7"])
        #expect(
            try await body(.browser(message: message))
                == #"{"badge":"/b.png","body":"2:1","data":{"url":"/matches/7"},"icon":"/i.png","image":"/m.png","#
                + #""tag":"match-7","title":"Goal"}"#)
    }

    @Test func `rejects a browser's message that is too long to encrypt`() throws {
        let title = String(repeating: "x", count: 3993 - #"{"title":""}"#.utf8.count)
        _ = try PushNotification.browser(message: .init(title: title))
        let error = #expect(throws: HubValidationError.self) {
            try PushNotification.browser(message: .init(title: title + "x"))
        }
        #expect(error?.code == .payloadTooLarge)
    }
}
