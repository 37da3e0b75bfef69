import Foundation
import NotificationHubs
import Testing

/// The request of each platform.
@Suite struct NotificationRequestTests {
    private static let json = "application/json;charset=utf-8"

    @Test func `sends the name, content type and headers of each format`() async throws {
        let cases: [(PushNotification, String, String, [String: String])] = [
            (.template(["a": "b"]), "template", "application/json", [:]),
            (
                try .apple(#"{"aps":{"alert":"x"}}"#), "apple", Self.json,
                ["apns-push-type": "alert", "apns-priority": "10"]
            ),
            (try .fcmV1(#"{"message":{}}"#), "fcmv1", Self.json, [:]),
            (try .gcm(#"{"data":{}}"#), "gcm", Self.json, [:]),
            (try .adm(#"{"data":{}}"#), "adm", Self.json, [:]),
            (try .browser(#"{"title":"x"}"#), "browser", Self.json, [:]),
            (try .xiaomi(#"{"a":1}"#), "xiaomi", Self.json, [:]),
            (try .baidu(#"{"title":"x"}"#), "baidu", "application/json", [:]),
            (try .baidu(#"{}"#, messageType: 1), "baidu", "application/json", ["x-baidu-message-type": "1"]),
            (try .windows(xml: "<toast/>"), "windows", "application/xml", ["x-wns-type": "wns/toast"]),
            (
                try .windows(xml: "<?xml version='1.0'?><tile>é</tile>"), "windows", "application/xml",
                ["x-wns-type": "wns/tile"]
            ),
            (try .windows(xml: "<badge value='1'/>"), "windows", "application/xml", ["x-wns-type": "wns/badge"]),
            (try .windowsRaw([0, 255]), "windows", "application/octet-stream", ["x-wns-type": "wns/raw"]),
            (
                try .windowsPhone(xml: "<wp:Notification xmlns:wp='WPNotification'><wp:Toast/></wp:Notification>"),
                "windowsphone", "application/xml", ["x-windowsphone-target": "toast", "x-notificationclass": "2"]
            ),
            (
                try .windowsPhone(xml: "<Notification><Tile/></Notification>", additionalHeaders: ["X-MessageID": "7"]),
                "windowsphone", "application/xml",
                ["x-windowsphone-target": "token", "x-notificationclass": "1", "x-messageid": "7"]
            ),
            (try .windowsPhoneRaw([1]), "windowsphone", "application/xml", ["x-notificationclass": "3"]),
        ]
        for (notification, format, contentType, headers) in cases {
            let request = try await TargetTests.request { try await $0.send(notification, to: .tag("t")) }
            var expected = headers
            expected["content-type"] = contentType
            expected["servicebusnotification-format"] = format
            expected["servicebusnotification-tags"] = "t"
            #expect(request.messageHeaders == expected)
            #expect(request.method == .post)
        }
    }

    @Test(arguments: [
        (#"{"aps":{"content-available":1}}"#, "background", "5"),
        (#"{"aps":{"content-available":1},"id":"7"}"#, "background", "5"),
        (#"{"aps":{"\u0063ontent-available":1,"thread-id":"t"}}"#, "background", "5"),
        (#"{"aps":{"content-available":1,"alert":"x"}}"#, "alert", "10"),
        (#"{"aps":{"content-available":1,"badge":0}}"#, "alert", "10"),
        (#"{"aps":{"content-available":1,"sound":"s"}}"#, "alert", "10"),
        (#"{"aps":{"content-available":0}}"#, "alert", "10"),
        (#"{"aps":{}}"#, "alert", "10"),
        (#"{}"#, "alert", "10"),
        (#"{"aps":1}"#, "alert", "10"),
    ])
    func `derives Apple's push type from the payload`(json: String, type: String, priority: String)
        async throws
    {
        let request = try await TargetTests.request { try await $0.send(.apple(.json(json)), to: .tag("t")) }
        #expect(request.headers["apns-push-type"] == type)
        #expect(request.headers["apns-priority"] == priority)
        #expect(request.bodyText == json)
    }

    @Test(arguments: [
        (PushNotification.AppleOptions.PushType.alert, "alert"), (.background, "background"), (.voip, "voip"),
        (.complication, "complication"), (.fileProvider, "fileprovider"), (.mdm, "mdm"), (.location, "location"),
        (.liveActivity, "liveactivity"), (.controls, "controls"), (.widgets, "widgets"), (.pushToTalk, "pushtotalk"),
    ])
    func `sends Apple's name of a push type`(type: PushNotification.AppleOptions.PushType, name: String) async throws {
        let request = try await TargetTests.request {
            try await $0.send(.apple(#"{}"#, options: .init(pushType: type)), to: .tag("t"))
        }
        #expect(request.headers["apns-push-type"] == name)
    }

    @Test func `prefers the caller's headers for Apple`() async throws {
        let options = PushNotification.AppleOptions(
            pushType: .voip, priority: .immediate, expiration: .at(Date(timeIntervalSince1970: 1_700_000_000.9)),
            topic: "org.example.app.voip", collapseID: "c",
            id: UUID(uuidString: "6A416EE8-EA6A-4076-9ACF-DE03D6A6F3FA"), additionalHeaders: ["apns-new": "n"])
        let request = try await TargetTests.request {
            try await $0.send(.apple(#"{"aps":{"content-available":1}}"#, options: options), to: .tag("t"))
        }
        #expect(
            request.messageHeaders.filter { $0.key.hasPrefix("apns-") } == [
                "apns-push-type": "voip", "apns-priority": "10", "apns-expiration": "1700000000",
                "apns-topic": "org.example.app.voip", "apns-collapse-id": "c",
                "apns-id": "6a416ee8-ea6a-4076-9acf-de03d6a6f3fa", "apns-new": "n",
            ])
        let once = try await TargetTests.request {
            try await $0.send(.apple(#"{}"#, options: .init(pushType: .location, expiration: .once)), to: .tag("t"))
        }
        #expect(once.headers["apns-expiration"] == "0")
        #expect(once.headers["apns-priority"] == nil)
    }

    @Test func `rejects headers that are invalid for Apple or HTTP`() {
        let options: [(PushNotification.AppleOptions, String)] = [
            (.init(pushType: .background, priority: .immediate), "apns-priority"),
            (.init(pushType: .init(rawValue: "a\r\nb")), "apns-push-type"),
            (.init(expiration: .at(.distantFuture)), "apns-expiration"),
            (.init(expiration: .at(Date(timeIntervalSince1970: 0))), "apns-expiration"),
            (.init(expiration: .at(Date(timeIntervalSince1970: -1))), "apns-expiration"),
            (.init(expiration: .at(Date(timeIntervalSince1970: .infinity))), "apns-expiration"),
            (.init(expiration: .at(Date(timeIntervalSince1970: .nan))), "apns-expiration"),
            (.init(topic: "a\nServiceBusNotification-Tags: "), "apns-topic"), (.init(topic: ""), "apns-topic"),
            (.init(collapseID: String(repeating: "x", count: 65)), "apns-collapse-id"),
            (.init(collapseID: "é"), "apns-collapse-id"),
            (.init(topic: "t", additionalHeaders: ["APNS-Topic": "a"]), "APNS-Topic"),
            (.init(additionalHeaders: ["X-Other": "a"]), "X-Other"),
            (.init(additionalHeaders: ["apns-new": "a\r\nb"]), "apns-new"),
        ]
        for (options, name) in options {
            let error = #expect(throws: HubValidationError.self) {
                try PushNotification.apple("{}", options: options)
            }
            #expect(error?.code == .invalidHeader)
            #expect(error?.path == name)
        }
    }

    @Test func `sends options for Windows and rejects invalid ones`() async throws {
        let options = PushNotification.WindowsOptions(
            timeToLive: .seconds(60), isCached: false, tag: "t", group: "g", suppressesPopup: true,
            additionalHeaders: ["x-wns-RequestForStatus": "true"])
        let request = try await TargetTests.request {
            try await $0.send(.windows(xml: "<toast/>", options: options), to: .tag("t"))
        }
        #expect(
            request.messageHeaders.filter { $0.key.hasPrefix("x-wns") } == [
                "x-wns-type": "wns/toast", "x-wns-ttl": "60", "x-wns-cache-policy": "no-cache", "x-wns-tag": "t",
                "x-wns-group": "g", "x-wns-suppresspopup": "true", "x-wns-requestforstatus": "true",
            ])
        let invalid: [PushNotification.WindowsOptions] = [
            .init(timeToLive: .zero), .init(timeToLive: .seconds(UInt32.max) + .seconds(1)),
            .init(tag: String(repeating: "x", count: 17)), .init(tag: "\n"),
            .init(additionalHeaders: ["ServiceBusNotification-Tags": "x"]),
            .init(additionalHeaders: ["X-WNS-Type": "wns/raw"]),
            .init(additionalHeaders: ["X-WNS-": "x"]), .init(additionalHeaders: ["X-WNS-A": "\r\n"]),
            .init(additionalHeaders: ["X-WNS-A: b\r\nC": "x"]),
            .init(additionalHeaders: ["X-WNS-a": "1", "X-WNS-A": "2"]),
        ]
        for options in invalid {
            #expect(throws: HubValidationError.self) {
                try PushNotification.windows(xml: "<toast/>", options: options)
            }
        }
    }

    @Test(arguments: ["", "text", "<toast>", "<Toast/>", "<other/>", "<!DOCTYPE t><toast/>", "<x:toast/>"])
    func `rejects invalid XML and unexpected root elements for Windows`(xml: String) {
        let error = #expect(throws: HubValidationError.self) { try PushNotification.windows(xml: xml) }
        #expect(error?.code == .invalidPayload)
        #expect(throws: HubValidationError.self) { try PushNotification.windowsPhone(xml: xml) }
    }

    @Test func `sends an FCM v1 message as it is`() async throws {
        let cases: [(PushNotification.Payload, String)] = [
            (#"{"message":{"data":{}},"validate_only":true}"#, #"{"message":{"data":{}},"validate_only":true}"#),
            (#"{"data":{"a":"b"}}"#, #"{"data":{"a":"b"}}"#),
            (
                try .json(encoding: ["message": ["notification": ["title": "x/y"]]]),
                #"{"message":{"notification":{"title":"x/y"}}}"#
            ),
        ]
        for (payload, body) in cases {
            let request = try await TargetTests.request { try await $0.send(.fcmV1(payload), to: .tag("t")) }
            #expect(request.bodyText == body)
        }
    }

    @Test func `rejects a body that is not a JSON object`() throws {
        let texts = [
            "", "[]", "\"text\"", "null", "{", "{}x", "{\"a\":}", "\u{feff}", String(repeating: "[", count: 60_000),
            String(repeating: "{\"a\":", count: 10_000),
        ]
        let makes: [(PushNotification.Payload) throws -> PushNotification] = [
            { try .apple($0) }, { try .fcmV1($0) }, { try .gcm($0) }, { try .adm($0) }, { try .browser($0) },
            { try .xiaomi($0) }, { try .baidu($0) },
        ]
        for (make, text) in makes.flatMap({ make in texts.map { (make, $0) } }) {
            let error = #expect(throws: HubValidationError.self) { try make(.json(text)) }
            #expect(error?.code == .invalidPayload)
        }
        #expect(throws: HubValidationError.self) { try PushNotification.apple(.json(encoding: "a string")) }
        #expect(throws: HubValidationError.self) {
            try PushNotification.gcm(.json([0x7b, 0x22, 0xff, 0x22, 0x7d]))
        }
    }

    @Test func `rejects a body in UTF-16 or with a byte order mark`() {
        let json = #"{"a":1}"#
        for bytes in [json.utf8.flatMap { [$0, 0] }, json.utf8.flatMap { [0, $0] }, [0xef, 0xbb, 0xbf] + json.utf8] {
            let error = #expect(throws: HubValidationError.self) { try PushNotification.fcmV1(.json(bytes)) }
            #expect(error?.code == .invalidPayload)
        }
    }

    @Test func `rejects a body of more than 64 KB before sending`() async throws {
        let limit = PushNotification.maximumByteCount
        #expect(limit == 65536)
        func json(_ count: Int) -> PushNotification.Payload {
            .json(#"{"a":""# + String(repeating: "x", count: count - 8) + #""}"#)
        }
        _ = try PushNotification.gcm(json(limit))
        let error = #expect(throws: HubValidationError.self) { try PushNotification.gcm(json(limit + 1)) }
        #expect(error?.code == .payloadTooLarge)
        #expect(error?.description.contains("\(limit + 1) bytes (at most \(limit))") == true)
        #expect(throws: HubValidationError.self) {
            try PushNotification.windowsPhoneRaw(Array(repeating: 0, count: limit + 1))
        }
        #expect(throws: HubValidationError.self) {
            try PushNotification.windowsRaw(Array(repeating: 0, count: 5121))
        }

        let template = PushNotification.template(["a": String(repeating: "x", count: limit)])
        let handle = try PushChannel.apple(hexDeviceToken: "AB")
        let calls: [(NotificationHub) async throws -> Void] = [
            { _ = try await $0.send(template, to: .tag("t")) }, { _ = try await $0.send(template, to: .everyone) },
            { _ = try await $0.testSend(template, to: .tag("t")) },
            { _ = try await $0.send(template, to: .devices([handle])) },
            { _ = try await $0.schedule(template, to: .tag("t"), at: .distantFuture) },
        ]
        for call in calls {
            let error = try await TargetTests.validationError(of: call)
            #expect(error?.code == .payloadTooLarge)
            #expect(error?.description.contains("\(limit + 8) bytes (at most \(limit))") == true)
        }
    }

    @Test func `escapes the values of a template notification`() async throws {
        let values = ["b": "\"\\/\n\r\t\u{1}\u{7f}é😀\u{2028}", "a": "$(x)", "": ""]
        let request = try await TargetTests.request { try await $0.send(.template(values), to: .tag("t")) }
        #expect(try JSONDecoder().decode([String: String].self, from: Data(request.body)) == values)
        #expect(request.bodyText.hasPrefix(#"{"":"","a":"$(x)","b":""#))
    }
}
