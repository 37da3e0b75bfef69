import Foundation
import NotificationHubs
import Testing

/// The problems of notifications and templates in the API.
@Suite struct NotificationProblemTests {
    private static let misplaced: PushNotification.Payload = #"{"message":{"priority":"high"}}"#

    @Test func `describes a problem by its path, its text and its remedy`() throws {
        let problem = try #require(try PushNotification.fcmV1(Self.misplaced).problems.first)
        #expect(problem.severity == .failure && problem.platform == .fcmV1)
        #expect(problem.path == "message.priority")
        #expect(problem.text == "belongs to message.android")
        #expect(problem.remedy == "move it to message.android.priority")
        #expect("\(problem)" == "message.priority: belongs to message.android: move it to message.android.priority")
    }

    @Test func `quotes names of the body escaped, and no values`() throws {
        let problems = try PushNotification.fcmV1(#"{"message":{"a\u001b[31m":"sesame","data":{"n":7777}}}"#).problems
        #expect(problems.count == 2)
        for problem in problems {
            #expect(!"\(problem)".contains("\u{1b}") && !"\(problem)".contains("sesame"))
            #expect(!"\(problem)".contains("7777"))
        }
    }

    @Test func `finds no problem in typed payloads`() throws {
        var alert = PushNotification.AppleAlert(
            title: .localized(key: "K", arguments: ["a"]), badge: 1, sound: .critical(volume: 0.5), data: ["x": 1])
        alert.interruptionLevel = .timeSensitive
        alert.relevanceScore = 0.5
        (alert.isMutable, alert.wakesApp, alert.threadID) = (true, true, "t")
        let live = PushNotification.LiveActivity.Alert(title: .localized(key: "K"), body: "b")
        let message = PushNotification.FCMMessage(
            notification: .init(title: "a", image: "https://example.com/"), data: ["a": "b"],
            android: .init(
                priority: .high, timeToLive: .seconds(60), collapseKey: "c", restrictedPackageName: "p",
                notification: .init(title: "a", channelID: "c", color: "#ff0000", tag: "t", clickAction: "x")),
            apple: .init(headers: ["apns-priority": "5"], payload: ["aps": ["alert": "a"]]),
            web: .init(headers: ["TTL": "1"], data: ["a": "b"], notification: ["x": 1], link: "https://example.com/"))
        let notifications = [
            try PushNotification.apple(alert: alert), try .apple(backgroundData: ["feed": 7]),
            try .apple(liveActivity: .start(attributesType: "A", attributes: [:], state: [:], alert: live)),
            try .apple(liveActivity: .update(state: [:])), try .apple(liveActivity: .end()),
            try .fcmV1(message: message), try .browser(message: .init(title: "a")), try .windows(xml: "<toast/>"),
            try .windowsRaw([0xff, 0x00]),
        ]
        for notification in notifications { #expect(notification.problems == []) }
    }

    @Test func `sends a notification with problems by default`() async throws {
        let request = try await TargetTests.request { try await $0.send(.fcmV1(Self.misplaced), to: .everyone) }
        #expect(request.bodyText.contains("priority"))
    }

    @Test func `checks each kind of send if the options say so, before a request`() async throws {
        let transport = ScriptedTransport.accepting()
        let hub = try NotificationHub.scripted(transport, checksNotifications: true)
        let notification = try PushNotification.fcmV1(Self.misplaced)
        let device = PushChannel.fcmV1(registrationToken: "a")
        let sends: [() async throws -> Void] = [
            { try await hub.send(notification, to: .everyone) },
            { try await hub.send(notification, to: .device(device)) },
            { _ = try await hub.send(notification, to: .devices([device])) },
            { _ = try await hub.send(notification, to: .anyOf(["a", "b"])) },
            { _ = try await hub.testSend(notification, to: .tag("t")) },
            { _ = try await hub.schedule(notification, to: .everyone, at: .distantFuture) },
        ]
        for send in sends {
            let error = await #expect(throws: HubValidationError.self) { try await send() }
            #expect(error?.code == .invalidPayload && error?.path == "message.priority")
        }
        #expect(transport.requests.isEmpty)
        try await hub.send(.fcmV1(#"{"message":{"token":"a"}}"#), to: .everyone)
        #expect(transport.requests.count == 1, "a warning does not prevent a send")
    }

    // MARK: Template messages

    @Test func `sends headers of platforms with a template message`() async throws {
        let headers = ["apns-push-type": "background", "apns-priority": "5", "X-WNS-TTL": "60"]
        let request = try await TargetTests.request {
            try await $0.send(.template(["a": "b"], headers: headers), to: .tag("t"))
        }
        #expect(request.headers["ServiceBusNotification-Format"] == "template")
        for (name, value) in headers { #expect(request.headers[name] == value) }
    }

    @Test(arguments: [
        "Authorization", "Content-Type", "ServiceBusNotification-Tags", "x-ms-version", "a b", "", "apns-x\r\n",
    ])
    func `rejects a header that belongs to no platform`(name: String) {
        let error = #expect(throws: HubValidationError.self) {
            try PushNotification.template([:], headers: [name: "a"])
        }
        #expect(error?.code == .invalidHeader)
    }

    @Test(arguments: ["apns-priority", "APNS-Priority"])
    func `checks the headers of a template message`(priority: String) throws {
        let notification = try PushNotification.template(
            [:], headers: ["apns-push-type": "background", priority: "10"])
        #expect(notification.problems.map(\.path) == ["apns-priority"])
        let correct = try PushNotification.template([:], headers: ["apns-push-type": "background", priority: "5"])
        #expect(correct.problems == [])
        #expect(PushNotification.template(["a": "b"]).problems == [])
    }

    @Test func `checks a template with the headers and the values of a message`() throws {
        let template = Installation.Template(body: #"{"aps":{"content-available":1},"m":"$(userName)"}"#)
        #expect(template.problems(on: .apple).map(\.path) == ["apns-push-type"])
        let silent = ["apns-push-type": "background", "apns-priority": "5"]
        let message = try PushNotification.template(["USERNAME": "a"], headers: silent)
        #expect(template.problems(on: .apple, message: message) == [])
        let wrong = try PushNotification.template(["userNam": "a"], headers: silent)
        #expect(template.problems(on: .apple, message: wrong).map(\.path) == ["userName", "userNam"])
        #expect(
            template.problems(on: .apple, message: wrong, pushVariables: ["username": "a"]).map(\.path) == ["userNam"])
    }

    @Test func `prefers the headers of a template to those of the message`() throws {
        let template = Installation.Template(body: #"{"aps":{"alert":"a"}}"#, headers: ["Apns-Push-Type": "alert"])
        let message = try PushNotification.template([:], headers: ["apns-push-type": "background"])
        #expect(template.problems(on: .apple, message: message) == [])
    }

    @Test(arguments: [
        ("Some text. $(a)", "write {'Some text. ' + $(a)}"), ("it's $(a)", "write {'it''s ' + $(a)}"),
        ("$(a) and $(b)!", "write {$(a) + ' and ' + $(b) + '!'}"), ("Hello $name", "write {'Hello ' + $(name)}"),
        ("$name", "write $(name)"), ("#000000", "write {'#000000'}"), ("{x", "write {'{x'}"),
        ("%", "write {'%'}"), ("...", "write {'...'}"), ("$5 off", "write {'$5 off'}"),
    ])
    func `names the expression that was probably meant`(text: String, remedy: String) throws {
        let body = JSONValue.object(["message": ["notification": ["body": .string(text)]]])
        let problems = Installation.Template(body: String(decoding: body.bytes, as: UTF8.self)).problems(on: .fcmV1)
        #expect(problems.map(\.path) == ["message.notification.body"])
        #expect(problems.first?.remedy == remedy)
        // The remedy is correct.
        let corrected = JSONValue.object(["message": ["notification": ["body": .string(String(remedy.dropFirst(6)))]]])
        #expect(
            Installation.Template(body: String(decoding: corrected.bytes, as: UTF8.self)).problems(on: .fcmV1) == [])
    }

    @Test func `checks the templates of an installation and of a registration`() throws {
        let channel = PushChannel.fcmV1(registrationToken: "a")
        let good = #"{"message":{"data":{"a":"$(a)"}}}"#
        let installation = Installation(
            id: "i", pushChannel: channel, templates: ["good": .init(body: good), "bad": .init(body: "{}")])
        #expect(installation.templateProblems().mapValues { $0.map(\.path) } == ["bad": ["message"]])
        let registration = Registration(pushChannel: channel, template: .init(body: "{}"))
        #expect(registration.templateProblems().map(\.path) == ["message"])
        #expect(Registration(pushChannel: channel).templateProblems() == [])
        #expect(
            Registration(pushChannel: channel, template: .init(body: good))
                .templateProblems(for: .template(["b": "c"])).map(\.path) == ["a", "b"])
    }

    // MARK: Hostile bodies

    @Test func `reports thousands of problems, and survives any text`() {
        let data = (0..<5000).map { "\"\($0)\":\($0)" }.joined(separator: ",")
        let body = #"{"message":{"data":{\#(data)}}}"#
        #expect(PushPlatform.fcmV1.problems(body: Array(body.utf8), headers: [:]).count == 5000)
        var generator = SystemRandomNumberGenerator()
        let texts = [body, #"{"aps":{"alert":{"title":"a"},"sound":{"critical":1}}}"#, "<toast><a b='c'>d</a></toast>"]
        for _ in 0..<2000 {
            var bytes = Array((texts.randomElement(using: &generator) ?? "").utf8.prefix(200))
            for _ in 0..<3 { bytes[Int.random(in: 0..<bytes.count)] = .random(in: 0...255) }
            for platform in PushPlatform.all {
                _ = platform.problems(body: bytes, headers: ["X-WNS-Type": "wns/toast"])
                let template = Installation.Template(body: String(decoding: bytes, as: UTF8.self))
                _ = template.problems(on: platform, message: .template(["a": "b"]))
            }
        }
    }
}
