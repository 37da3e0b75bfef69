import Foundation
import HubTestSupport
import NotificationHubs
import Testing

@Suite struct TargetTests {
    @Test func `sends the header of each target`() async throws {
        let id = try Installation.ID(validating: "i-1")
        let user = try Installation.UserID(validating: "bob")
        let targets: [(PushNotification.Target, String?)] = [
            (.tag("news"), "news"), (.tags(["a", "b"]), "a || b"), (.tags(["a"]), "a"),
            (.expression("a" && !"b"), "a && !b"), (.installation(id), "$InstallationId:{i-1}"),
            (.user(user), "$UserId:{bob}"), (.everyone, nil),
        ]
        for (target, tags) in targets {
            let request = try await Self.request { try await $0.send(.template([:]), to: target) }
            #expect(request.headers["ServiceBusNotification-Tags"] == tags)
            #expect(request.path == "/push/messages")
            #expect(request.query == "api-version=2020-06")
        }
    }

    @Test func `rejects an invalid target with its code`() async throws {
        let seven: [NotificationHub.Tag] = Array(repeating: "t", count: 7)
        let stored = try JSONTags.decode(#"["a || b", ""]"#)
        let targets: [(PushNotification.Target, HubValidationError.Code)] = [
            (.tags([]), .missingTags), (.expression(!.any(of: [])), .missingTags),
            (.tags(seven + seven + seven), .tooManyTags),
            (.expression(.all(of: seven)), .tooManyTags), (.tag(stored[0]), .invalidTag),
            (.tag(stored[1]), .invalidTag),
            (.tags(["x"] + stored), .invalidTag),
        ]
        for (target, code) in targets {
            let calls: [(NotificationHub) async throws -> Void] = [
                { _ = try await $0.send(.template([:]), to: target) },
                { _ = try await $0.testSend(.template([:]), to: target) },
                { _ = try await $0.schedule(.template([:]), to: target, at: .distantFuture) },
            ]
            for call in calls { #expect(try await Self.validationError(of: call)?.code == code) }
        }
    }

    @Test func `addresses a device by its handle`() async throws {
        let apple = try await Self.request {
            try await $0.send(.apple(#"{"aps":{}}"#), to: .device(.apple(deviceToken: [0xab, 0x01])))
        }
        #expect(Set(apple.query.split(separator: "&")) == ["api-version=2020-06", "direct=true"])
        #expect(apple.headers["ServiceBusNotification-DeviceHandle"] == "AB01")
        #expect(apple.headers["ServiceBusNotification-Tags"] == nil)

        let browser = try await Self.request {
            try await $0.send(
                .browser(#"{"title":"t"}"#),
                to: .device(.browser(.init(endpoint: "https://push.example/1", p256dh: "BPub_-", auth: "Sec_-"))))
        }
        #expect(browser.headers["ServiceBusNotification-DeviceHandle"] == "https://push.example/1")
        #expect(browser.headers["P256DH"] == "BPub_-")
        #expect(browser.headers["Auth"] == "Sec_-")
    }

    @Test func `redacts handles and a browser's secret`() throws {
        let handle = PushChannel.browser(.init(endpoint: "https://push.example/1", p256dh: "BPub", auth: "secret"))
        for value in [PushNotification.Direct.device(handle), PushNotification.Batch.devices([handle])] as [Any] {
            for text in ["secret", "push.example"] { #expect(!everythingPrinted(of: value).contains(text)) }
        }
        #expect("\(handle)" == "browser (redacted)")
    }

    @Test func `rejects a device of another platform`() async throws {
        for notification in [PushNotification.template([:]), try .fcmV1(#"{"data":{}}"#)] {
            let error = try await Self.validationError {
                try await $0.send(notification, to: .device(.apple(hexDeviceToken: "AB")))
            }
            #expect(error?.code == .platformMismatch)
        }
    }

    @Test(arguments: ["", " ", "a b", "a\r\nServiceBusNotification-Tags: x", "é", "a\u{0}", "\u{7f}"])
    func `rejects a handle that is invalid in a header`(text: String) async throws {
        let channels: [PushChannel] = [
            .fcmV1(registrationToken: text), .gcm(registrationID: text), .windows(channelURI: text),
            .windowsPhone(channelURI: text), .adm(registrationID: text), .xiaomi(registrationID: text),
            .baidu(userID: text, channelID: "1"), .baidu(userID: "1", channelID: text),
            .browser(.init(endpoint: text, p256dh: "a", auth: "b")),
            .browser(.init(endpoint: "e", p256dh: text, auth: "b")),
            .browser(.init(endpoint: "e", p256dh: "a", auth: text)),
        ]
        for channel in channels {
            let notification = try PushNotification.json(channel.platform, "{}")
            let error = try await Self.validationError { try await $0.send(notification, to: .device(channel)) }
            #expect(error?.code == .invalidPushChannel, "\(channel)")
        }
    }

    @Test(arguments: ["", "ABC", "xy", "AB-C", "A０", " AB"])
    func `rejects an Apple device token that is not hexadecimal`(text: String) async throws {
        #expect(throws: HubValidationError.self) { try PushChannel.apple(hexDeviceToken: text) }
        let channel = PushChannel(platform: .apple, handle: text)
        let error = try await Self.validationError { try await $0.send(.apple("{}"), to: .device(channel)) }
        #expect(error?.code == .invalidPushChannel)
    }

    @Test func `creates the same Apple device from digits and from bytes`() throws {
        #expect(try PushChannel.apple(hexDeviceToken: "ab01Ff") == .apple(deviceToken: [0xab, 0x01, 0xff]))
    }

    /// A request without tags, device handle or batch is a broadcast. No other target must produce one.
    @Test func `broadcasts only to the target everyone`() async throws {
        var generator = SeededGenerator(seed: 2)
        let pieces = [
            "", " ", "a", "||", "&&", "!", "(", ")", "*", "\r\n", "\u{0}", "é", "{", "}", "$InstallationId:{",
            "$UserId:{",
            ",", "\"", "\u{37e}", "\u{212a}", "%", "x:y",
        ]
        func text() -> String {
            (0..<Int.random(in: 0...5, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
                .joined()
        }
        func tags() throws -> [NotificationHub.Tag] {
            // Without validation, as in a response.
            let texts = (0..<Int.random(in: 0...8, using: &generator)).map { _ in text() }
            return try JSONTags.decode(String(decoding: JSON.encode(texts), as: UTF8.self))
        }
        func user(_ text: String) throws -> Installation.UserID {
            let text = String(decoding: try JSON.encode(text), as: UTF8.self)
            let json = #"{"installationId":"i","platform":"apns","pushChannel":"AB","userId":\#(text)}"#
            return try #require(try Installation(json: json.utf8).userID)
        }
        let transport = ScriptedTransport.accepting()
        let hub = try NotificationHub.scripted(transport)
        let notification = try PushNotification.fcmV1(#"{"data":{}}"#)
        for _ in 0..<1200 {
            let randomTags = try tags()
            var targets: [PushNotification.Target] = [
                .tags(randomTags), .expression(.any(of: randomTags)), .expression(!(.all(of: randomTags))),
                .expression(.all(of: randomTags) || .any(of: try tags())),
            ]
            targets += randomTags.prefix(1).map { .tag($0) }
            targets.append(.user(try user(text())))
            targets += [try? .expression(TagExpression(validating: text()))].compactMap(\.self)
            targets += [try? .user(Installation.UserID(validating: text()))].compactMap(\.self)
            targets += [try? .installation(Installation.ID(validating: text()))].compactMap(\.self)
            for target in targets {
                _ = try? await hub.send(notification, to: target)
                _ = try? await hub.testSend(notification, to: target)
                _ = try? await hub.schedule(notification, to: target, at: .distantFuture)
            }
            let handles = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                PushChannel.fcmV1(registrationToken: text())
            }.filter { (try? $0.checkForHeaders()) != nil }
            for handle in handles { _ = try? await hub.send(notification, to: .device(handle)) }
            _ = try? await hub.send(notification, to: .devices(handles))
        }
        #expect(transport.requests.count > 1000)
        for request in transport.requests {
            #expect(!request.isBroadcast, "\(request.headers)")
            // A tag's text never becomes an expression.
            if let tags = request.headers["ServiceBusNotification-Tags"] {
                #expect((try? TagExpression(validating: tags))?.description == tags)
            }
        }
        let broadcast = ScriptedTransport.accepting()
        _ = try await NotificationHub.scripted(broadcast).send(notification, to: .everyone)
        #expect(broadcast.requests.map(\.isBroadcast) == [true])
    }

    static func request<Result>(
        _ call: (NotificationHub) async throws -> Result
    ) async throws -> HubRequest {
        let transport = ScriptedTransport.accepting()
        _ = try await call(try NotificationHub.scripted(transport))
        return try #require(transport.requests.first)
    }

    /// Makes a call that must fail before anything is sent, and returns its error.
    static func validationError<Result>(
        of call: (NotificationHub) async throws -> Result
    ) async throws -> HubValidationError? {
        let transport = ScriptedTransport.accepting()
        let hub = try NotificationHub.scripted(transport)
        let error = await #expect(throws: HubValidationError.self) { _ = try await call(hub) }
        #expect(transport.requests.isEmpty)
        return error
    }
}

extension HubRequest {
    /// Whether the service would send the notification to every device.
    var isBroadcast: Bool {
        let hasTags = headers["ServiceBusNotification-Tags"].map { !$0.isEmpty } ?? false
        let hasHandle = headers["ServiceBusNotification-DeviceHandle"].map { !$0.isEmpty } ?? false
        let isDirect = query.split(separator: "&").contains("direct=true")
        let hasDevices = path.hasSuffix("/messages/$batch") && bodyText.contains("\r\n\r\n[\"")
        return !hasTags && !(isDirect && (hasHandle || hasDevices))
    }
}
