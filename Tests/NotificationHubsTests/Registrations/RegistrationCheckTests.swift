import NotificationHubs
import Testing

/// Invalid registrations, which are rejected before anything is sent.
@Suite struct RegistrationCheckTests {
    typealias Template = Registration.Template

    private func problem(_ registration: Registration) async throws -> HubValidationError {
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        let hub = try NotificationHub.scripted(transport)
        let error = await #expect(throws: HubValidationError.self) {
            try await hub.createRegistration(registration)
        }
        await #expect(throws: HubValidationError.self) {
            try await hub.putRegistration(registration, id: .init(validating: "1"))
        }
        #expect(transport.requests.isEmpty)
        return try #require(error)
    }

    @Test(arguments: [
        (
            PushChannel(platform: PushPlatform(rawValue: "nokia"), handle: "n"),
            HubValidationError.Code.invalidPlatform,
            "the platform \"nokia\" does not support registrations: use an installation"
        ),
        (PushChannel(platform: PushPlatform(rawValue: "fcm"), handle: "n"), .invalidPlatform, "use .fcmV1"),
        (PushChannel(platform: PushPlatform(rawValue: ""), handle: "n"), .invalidPlatform, "must not be empty"),
        (PushChannel(platform: .apple, handle: "ABC"), .invalidPushChannel, "hexadecimal"),
        (PushChannel(platform: .apple, handle: "AG"), .invalidPushChannel, "hexadecimal"),
        (PushChannel.baidu(userID: "1-2", channelID: "3"), .invalidPushChannel, "without hyphens"),
        (PushChannel(platform: .gcm, handle: ""), .invalidPushChannel, "must not be empty"),
        (
            PushChannel(platform: .gcm, handle: "a\u{0}"), .invalidCharacter,
            "GcmRegistrationId contains an invalid XML character at byte 1"
        ),
    ])
    func `rejects an invalid push channel`(
        channel: PushChannel, code: HubValidationError.Code, message: String
    ) async throws {
        let problem = try await problem(Registration(pushChannel: channel))
        #expect(problem.code == code)
        #expect(problem.description.contains(message), "\(problem)")
    }

    @Test(arguments: [
        (PushPlatform.gcm, Template(body: " \n"), "the body must not be empty"),
        (.gcm, Template(body: "{}", name: Template.Name(unchecked: "a:b")), "not contain a colon"),
        (.gcm, Template(body: "{}", headers: ["a": "b"]), "gcm does not support headers"),
        (.gcm, Template(body: "{}", expiry: .expression("$(e)")), "gcm does not support expiry"),
        (.fcmV1, Template(body: "{}", priority: "5"), "fcmV1 does not support priority"),
        (.apple, Template(body: "{}", messageType: 1), "apns does not support message type"),
        (.apple, Template(body: "{}", expiry: .expression("")), "expiry must be a date"),
        (.apple, Template(body: "{}", priority: "256"), "priority must be a number"),
        (.apple, Template(body: "{}", headers: ["X-WNS-Type": "wns/raw"]), "begin with apns-"),
        (.apple, Template(body: "{}", headers: ["apns-priority": "high"]), "apns-priority must be a number"),
        (.apple, Template(body: "{}", headers: ["Apns-Expiration": "2147483648"]), "apns-expiration must be seconds"),
        (.apple, Template(body: "{}", headers: ["apns-topic": "a", "Apns-Topic": "a"]), "duplicate header"),
        (.windows, Template(body: "<toast/>"), "X-WNS-Type"),
        (.windows, Template(body: "<toast/>", headers: ["X-WNS-Type": " "]), "empty or invalid value"),
        (
            .windows, Template(body: "<toast/>", headers: ["X-WNS-Type": "wns/toast", "a b": "c"]),
            "\"a b\": invalid name"
        ),
        (.windows, Template(body: "<toast/>", headers: ["X-WNS-Type": "a\r\nb: c"]), "invalid value"),
        (.windowsPhone, Template(body: "<toast/>", headers: ["X-WNS-Type": "wns/toast"]), "X-NotificationClass"),
    ])
    func `rejects an invalid template`(platform: PushPlatform, template: Template, message: String)
        async throws
    {
        let registration = Registration(
            pushChannel: PushChannel(platform: platform, handle: "AB"), template: template)
        let problem = try await problem(registration)
        #expect(problem.code == .invalidTemplate)
        #expect(problem.description.contains(message), "\(problem)")
    }

    @Test func `rejects a template with a character that XML does not allow`() async throws {
        let template = Template(body: "\u{b}{}")
        let problem = try await problem(Registration(pushChannel: .gcm(registrationID: "g"), template: template))
        #expect(problem.code == .invalidCharacter)
        #expect(problem.description == "BodyTemplate contains an invalid XML character at byte 0")
    }

    @Test(arguments: ["5", "$(priority)", "#(priority)"])
    func `accepts a number or an expression as priority`(text: String) async throws {
        let template = Template(body: "{}", headers: ["Apns-Priority": text], priority: text)
        let registration = Registration(pushChannel: .apple(deviceToken: [1]), template: template)
        #expect(try await registration.created().contains("<Priority>\(text)</Priority>"))
    }

    @Test func `rejects invalid tags and too many tags`() async throws {
        var registration = Registration(pushChannel: .gcm(registrationID: "g"), tags: ["a"])
        registration.tags.append(contentsOf: try JSONTags.decode(#"["a,b"]"#))
        #expect(try await problem(registration).path == "tags/1")
        registration.tags = Array(repeating: "a", count: 61)
        #expect(try await problem(registration).description.contains("61 tags (at most 60)"))
    }

    @Test(arguments: [("tile", PushPlatform.gcm), ("", .windows)])
    func `rejects a secondary tile without a name or for an unsupported platform`(name: String, platform: PushPlatform)
        async throws
    {
        let registration = Registration(
            pushChannel: PushChannel(platform: platform, handle: "h"), secondaryTileName: name)
        #expect(try await problem(registration).code == .invalidSecondaryTile)
    }

    @Test(arguments: ["", "a/b", "..", "é", "a?b", String(repeating: "1", count: 257)])
    func `rejects an ID that is not a path segment`(text: String) {
        #expect(throws: HubValidationError.self) { try Registration.ID(validating: text) }
    }
}
