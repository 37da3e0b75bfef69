import NotificationHubs
import Testing

/// What is refused before anything is sent.
@Suite struct RegistrationCheckTests {
    typealias Template = Registration.Template

    private func problem(_ registration: Registration) async throws -> String {
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        let hub = try NotificationHub.scripted(transport)
        let error = await #expect(throws: HubValidationError.self) {
            try await hub.createRegistration(registration)
        }
        await #expect(throws: HubValidationError.self) {
            try await hub.putRegistration(registration, id: .init(validating: "1"))
        }
        #expect(transport.requests.isEmpty)
        return error?.description ?? ""
    }

    @Test(arguments: [
        (
            PushChannel(platform: PushPlatform(rawValue: "nokia"), handle: "n"),
            "the platform \"nokia\" has no registrations"
        ),
        (PushChannel(platform: .apple, handle: "ABC"), "hexadecimal"),
        (PushChannel(platform: .apple, handle: "AG"), "hexadecimal"),
        (PushChannel.baidu(userID: "1-2", channelID: "3"), "without hyphens"),
        (PushChannel(platform: .gcm, handle: ""), "must not be empty"),
        (PushChannel(platform: .gcm, handle: "a\u{0}"), "GcmRegistrationId contains a character at byte 1"),
    ])
    func `channels that the service would not take`(channel: PushChannel, said: String) async throws {
        #expect(try await problem(Registration(pushChannel: channel)).contains(said))
    }

    @Test(arguments: [
        (PushPlatform.gcm, Template(body: " \n"), "no body"),
        (.gcm, Template(body: "\u{b}{}"), "BodyTemplate contains a character at byte 0"),
        (.gcm, Template(body: "{}", name: Template.Name(unchecked: "a:b")), "not contain a colon"),
        (.gcm, Template(body: "{}", headers: ["a": "b"]), "no element"),
        (.gcm, Template(body: "{}", expiry: .expression("$(e)")), "expiry, for which gcm has no element"),
        (.fcmV1, Template(body: "{}", priority: "5"), "priority, for which fcmV1"),
        (.apple, Template(body: "{}", messageType: 1), "message type, for which apns"),
        (.apple, Template(body: "{}", expiry: .expression("")), "expiry is empty"),
        (.apple, Template(body: "{}", priority: "256"), "priority is neither"),
        (.apple, Template(body: "{}", headers: ["X-WNS-Type": "wns/raw"]), "begin with apns-"),
        (.apple, Template(body: "{}", headers: ["apns-priority": "high"]), "apns-priority is neither"),
        (.apple, Template(body: "{}", headers: ["Apns-Expiration": "2147483648"]), "apns-expiration is neither"),
        (.apple, Template(body: "{}", headers: ["apns-topic": "a", "Apns-Topic": "a"]), "twice"),
        (.windows, Template(body: "<toast/>"), "X-WNS-Type"),
        (.windows, Template(body: "<toast/>", headers: ["X-WNS-Type": " "]), "is empty"),
        (.windows, Template(body: "<toast/>", headers: ["X-WNS-Type": "wns/toast", "a b": "c"]), "no header's name"),
        (.windows, Template(body: "<toast/>", headers: ["X-WNS-Type": "a\r\nb: c"]), "control character"),
        (.windowsPhone, Template(body: "<toast/>", headers: ["X-WNS-Type": "wns/toast"]), "X-NotificationClass"),
    ])
    func `templates that the service would not take`(platform: PushPlatform, template: Template, said: String)
        async throws
    {
        let registration = Registration(
            pushChannel: PushChannel(platform: platform, handle: "AB"), template: template)
        let problem = try await problem(registration)
        #expect(problem.contains(said), "\(problem)")
    }

    @Test(arguments: ["5", "$(priority)", "#(priority)"])
    func `numbers and expressions are both priorities`(text: String) async throws {
        let template = Template(body: "{}", headers: ["Apns-Priority": text], priority: text)
        let registration = Registration(pushChannel: .apple(deviceToken: [1]), template: template)
        #expect(try await registration.created().contains("<Priority>\(text)</Priority>"))
    }

    @Test func `tags that the service would not take, or too many of them`() async throws {
        var registration = Registration(pushChannel: .gcm(registrationID: "g"), tags: ["a"])
        registration.tags.append(contentsOf: try JSONTags.decode(#"["a,b"]"#))
        #expect(try await problem(registration).hasPrefix("tags/1: "))
        registration.tags = Array(repeating: "a", count: 61)
        #expect(try await problem(registration).contains("61 tags (at most 60)"))
    }

    @Test(arguments: [("tile", PushPlatform.gcm), ("", .windows)])
    func `tiles of what has none, and without a name`(name: String, platform: PushPlatform) async throws {
        let registration = Registration(
            pushChannel: PushChannel(platform: platform, handle: "h"), secondaryTileName: name)
        #expect(try await problem(registration).contains("secondary tile"))
    }

    @Test(arguments: ["", "a/b", "..", "é", "a?b", String(repeating: "1", count: 257)])
    func `ids that cannot stand in a URL`(text: String) {
        #expect(throws: HubValidationError.self) { try Registration.ID(validating: text) }
    }
}
