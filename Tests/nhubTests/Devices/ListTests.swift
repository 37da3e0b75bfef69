import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct ListTests {
    private static let devices: [Installation] = {
        var devices = DeviceScene.phones(3)
        devices[0].userID = "zoe"
        devices[1].userID = "zoe"
        devices[1].tags = ["sports"]
        devices[2].pushChannel = .apple(deviceToken: [1, 2])
        devices[2].templates = [:]
        return devices
    }()
    private static let registration = Registration(pushChannel: .fcmV1(registrationToken: "token"), tags: ["news"])

    @Test(arguments: [
        ([], ["phone-1", "phone-2", "phone-3"]), (["--tag", "news"], ["phone-1", "phone-3"]),
        (["--user", "zoe"], ["phone-1", "phone-2"]), (["--user", "zoe", "--tag", "news"], ["phone-1"]),
        (["--platform", "ios"], ["phone-3"]), (["--platform", "gcm", "--tag", "news"], ["phone-1"]),
        (["--tag", "other"], []),
    ])
    func `lists the selected installations`(filter: [String], ids: [String]) async throws {
        let scene = try await DeviceScene(Self.devices, [Self.registration])
        defer { scene.remove() }
        let outcome = try await scene.shell("exec \"$0\" list installations \"$@\"", filter)
        #expect(outcome.status == 0 && outcome.messages == "")
        #expect(outcome.values(of: "installationId").sorted() == ids)
    }

    @Test func `lists registrations, including those of installations`() async throws {
        let scene = try await DeviceScene(Self.devices, [Self.registration])
        defer { scene.remove() }
        let outcome = try await scene.run("list", "registrations")
        // Two installations with a template, one without, and one registration.
        #expect(outcome.values(of: "registrationId").count == 6)
        let android = try await scene.run("list", "registrations", "--platform", "android")
        #expect(android.values(of: "pushChannel") == ["token"])
    }

    @Test func `lists tags with the numbers of devices and registrations`() async throws {
        let scene = try await DeviceScene(Self.devices, [Self.registration])
        defer { scene.remove() }
        let outcome = try await scene.run("list", "tags")
        #expect(
            outcome.lines == [
                #"{"tag":"news","devices":3,"registrations":4}"#, #"{"tag":"t","devices":2,"registrations":2}"#,
                #"{"tag":"sports","devices":1,"registrations":2}"#,
            ])
    }

    /// Devices of which one has the tags `sports,news` and `news`, and another a template whose name contains a comma.
    private static let devicesWithCommas: [Installation] = {
        var devices = DeviceScene.phones(3)
        devices[0].tags = [.init(unchecked: "sports,news"), "news"]
        devices[1].tags = ["sports", "news"]
        devices[2].templates = ["Hello, world": .init(body: "{}")]
        return devices
    }()

    @Test func `counts a tag with a comma as one, if it reads the installations`() async throws {
        let scene = try await DeviceScene(Self.devicesWithCommas)
        defer { scene.remove() }
        let outcome = try await scene.run("list", "tags", "--exact")
        #expect(outcome.status == 0 && outcome.messages == "")
        #expect(
            outcome.lines == [
                #"{"tag":"news","devices":3,"registrations":6}"#, #"{"tag":"t","devices":2,"registrations":2}"#,
                #"{"tag":"Hello, world","devices":1,"registrations":1}"#,
                #"{"tag":"sports","devices":1,"registrations":2}"#,
                #"{"tag":"sports,news","devices":1,"registrations":2}"#,
            ])
    }

    @Test func `counts a tag with a comma as several without reading installations, except a template's name`()
        async throws
    {
        let scene = try await DeviceScene(Self.devicesWithCommas)
        defer { scene.remove() }
        let count = scene.counting.requestCount
        let outcome = try await scene.run("list", "tags")
        #expect(
            outcome.lines == [
                #"{"tag":"news","devices":3,"registrations":6}"#, #"{"tag":"sports","devices":2,"registrations":4}"#,
                #"{"tag":"t","devices":2,"registrations":2}"#, #"{"tag":"Hello, world","devices":1,"registrations":1}"#,
            ])
        #expect(scene.counting.requestCount == count + 1)
    }

    @Test func `reads an unreadable installation once, and counts its registrations`() async throws {
        let scene = try await DeviceScene(Self.devicesWithCommas)
        defer { scene.remove() }
        scene.emulator.faults = try .init([.init("GET /installations/phone-1 status=200")])
        let outcome = try await scene.run("list", "tags", "--exact")
        #expect(outcome.status == 1 && outcome.messages.matches(of: /skipped a device/).count == 1)
        #expect(outcome.lines.contains(#"{"tag":"sports","devices":2,"registrations":4}"#))
    }

    @Test func `quotes a tag with a comma in a table`() async throws {
        let scene = try await DeviceScene(Self.devicesWithCommas)
        defer { scene.remove() }
        let devices = try await scene.shell(#"script -qec "'$0' list installations" /dev/null"#)
        #expect(devices.output.contains("  \"sports,news\",news\r\n") && devices.output.contains("  sports,news\r\n"))
        let tags = try await scene.shell(#"script -qec "'$0' list tags --exact" /dev/null"#)
        #expect(tags.output.contains("      1              2  \"sports,news\"\r\n"), "\(tags.output)")
    }

    @Test(arguments: [
        (["list", "tags", "--tag", "a,b"], "--tag: a tag contains an invalid character at byte 1"),
        (["export", "-", "--tag", "a,b"], "--tag: a tag contains an invalid character at byte 1"),
        (["send", "template", "--tag", "a,b", "-"], "--tag: a tag contains an invalid character at byte 1"),
        (
            ["installation", "patch", "p", "--add-tag", "a,b"],
            "--add-tag: a tag contains an invalid character at byte 1"
        ),
    ])
    func `rejects a tag with a comma on the command line`(words: [String], message: String) async throws {
        try await NHubProgram.expectUsageError(words, message)
    }

    @Test(
        arguments: [
            ["list", "tags"], ["export", "devices.jsonl"],
            ["copy", "--to-connection-string-env", "NOTIFICATION_HUB_CONNECTION_STRING", "--to-hub", "other", "--yes"],
        ], [".", ".."])
    func `rejects a tag that a path cannot contain, and creates no file`(words: [String], tag: String) async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let outcome = try await scene.shell("exec \"$0\" \"$@\"", words + ["--tag", tag])
        #expect(outcome.status == 2)
        #expect(outcome.error == "nhub: --tag: cannot list the devices of the tag \"\(tag)\" without --user\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.directory.path).isEmpty)
    }

    @Test func `accepts any tag of a user's devices`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        #expect(try await scene.run("list", "tags", "--user", "zoe", "--tag", "..").status == 0)
    }

    @Test func `shows tables on a terminal`() async throws {
        let scene = try await DeviceScene(Self.devices)
        defer { scene.remove() }
        let devices = try await scene.shell(#"script -qec "'$0' list installations" /dev/null"#)
        let rows = devices.lines.map { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
        #expect(rows.first == ["ID", "PLATFORM", "USER", "TAGS"])
        let phones = rows.dropFirst().sorted { $0[0] < $1[0] }
        let expected = [
            ["phone-1", "gcm", "zoe", "news"], ["phone-2", "gcm", "zoe", "sports"], ["phone-3", "apns", "-", "news"],
        ]
        #expect(phones == expected)
        let tags = try await scene.shell(#"script -qec "'$0' list tags" /dev/null"#)
        #expect(
            tags.lines.map { $0.split(whereSeparator: \.isWhitespace) }.first == ["DEVICES", "REGISTRATIONS", "TAG"])
    }

    @Test(arguments: [
        (["list"], "missing action (allowed: installations, registrations, tags)"),
        (["list", "installations", "--platform", "palm"], "--platform: unknown platform \"palm\""),
        (["list", "installations", "--tag", "a b"], "--tag: "),
        (["list", "tags", "--concurrency", "0"], "--concurrency: "),
        (["list", "installations", "--exact"], "--exact requires the action tags"),
    ])
    func `rejects invalid command lines`(words: [String], message: String) async throws {
        try await NHubProgram.expectUsageError(words, message)
    }
}
