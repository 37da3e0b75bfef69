import NotificationHubsEmulatorServer
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct CopyTests {
    private static let registrations = (1...20).map {
        Registration(
            pushChannel: .fcmV1(registrationToken: "token-\($0)"),
            tags: ["news", $0.isMultiple(of: 2) ? "even" : "odd"])
    }

    private static func target(_ scene: DeviceScene) -> [String: String] {
        ["OTHER": scene.counting.server.connectionString]
    }

    private static let words = ["copy", "--to-connection-string-env", "OTHER", "--to-hub", "push", "--yes"]

    @Test func `copies all devices, and later what has changed`() async throws {
        let (source, other) = (
            try await DeviceScene(DeviceScene.phones(110), Self.registrations), try await DeviceScene()
        )
        defer {
            source.remove()
            other.remove()
        }
        let copied = try await source.shell("exec \"$0\" \"$@\"", Self.words, environment: Self.target(other))
        #expect(copied.status == 0 && copied.output == "130 copied\n" && copied.messages == "")
        #expect(other.emulator.installations == source.emulator.installations)
        #expect(try await other.otherRegistrations() == source.otherRegistrations())
        #expect(source.lines(of: "nhub-copy.journal") == nil)

        try source.emulator.seed(Installation(id: "new", pushChannel: .apple(deviceToken: [1])))
        let again = try await source.shell("exec \"$0\" \"$@\"", Self.words, environment: Self.target(other))
        #expect(again.output == "111 copied, 20 unchanged\n")
        #expect(other.emulator.installations == source.emulator.installations)
        #expect(try await other.otherRegistrations() == source.otherRegistrations())
    }

    @Test func `continues after it was killed, without losing or doubling a device`() async throws {
        let (source, other) = (
            try await DeviceScene(DeviceScene.phones(110), Self.registrations), try await DeviceScene()
        )
        defer {
            source.remove()
            other.remove()
        }
        for count in representatives([1, 40, 80], count: 2) {
            let limit = source.counting.requestCount + count
            let outcome = try await source.shell("exec \"$0\" \"$@\"", Self.words, environment: Self.target(other)) {
                source.counting.send(SIGKILL, to: $0, after: limit)
            }
            #expect(outcome.status == SIGKILL)
        }
        #expect(source.lines(of: "nhub-copy.journal")?.last?.contains("\"token\":") == true)
        let outcome = try await source.shell("exec \"$0\" \"$@\"", Self.words, environment: Self.target(other))
        #expect(outcome.status == 0)
        #expect(other.emulator.installations == source.emulator.installations)
        #expect(try await other.otherRegistrations() == source.otherRegistrations())
    }

    @Test func `replaces a registration that has changed, and no other one`() async throws {
        let first = Registration(pushChannel: .fcmV1(registrationToken: "a"), tags: ["news"])
        var second = first
        second.tags = ["sports"]
        let (source, other) = (try await DeviceScene([], [first, second]), try await DeviceScene())
        defer {
            source.remove()
            other.remove()
        }
        let copied = try await source.shell("exec \"$0\" \"$@\"", Self.words, environment: Self.target(other))
        #expect(copied.output == "2 copied\n")
        var changed = first
        changed.tags = ["news", "weather"]
        let client = source.emulator.makeClient()
        for try await entry in client.registrations() where entry.registration.tags == ["news"] {
            _ = try await client.putRegistration(changed, id: entry.id)
        }
        for output in ["1 copied, 1 unchanged\n", "0 copied, 2 unchanged\n"] {
            let again = try await source.shell("exec \"$0\" \"$@\"", Self.words, environment: Self.target(other))
            #expect(again.output == output)
            let tags = try await other.otherRegistrations().map { $0.tags.map(\.rawValue) }.sorted { $0[0] < $1[0] }
            #expect(tags == [["news", "weather"], ["sports"]])
        }
    }

    @Test func `leaves registrations alone that only the other hub has`() async throws {
        let template = Registration(
            pushChannel: .fcmV1(registrationToken: "a"), tags: ["news"], template: .init(body: #"{"message":{}}"#))
        var otherTemplate = template
        otherTemplate.tags = ["sports"]
        otherTemplate.template?.body = #"{"message":{"data":{}}}"#
        let (source, other) = (
            try await DeviceScene([], [template, Registration(pushChannel: .fcmV1(registrationToken: "a"))]),
            try await DeviceScene([], [otherTemplate, Registration(pushChannel: .gcm(registrationID: "a"))])
        )
        defer {
            source.remove()
            other.remove()
        }
        let copied = try await source.shell("exec \"$0\" \"$@\"", Self.words, environment: Self.target(other))
        #expect(copied.output == "2 copied\n")
        #expect(try await other.otherRegistrations().count == 4)
    }

    @Test func `copies equal registrations of a page once`() async throws {
        let registration = Registration(pushChannel: .fcmV1(registrationToken: "a"), tags: ["news"])
        let (source, other) = (
            try await DeviceScene([], Array(repeating: registration, count: 20)), try await DeviceScene()
        )
        defer {
            source.remove()
            other.remove()
        }
        let copied = try await source.shell("exec \"$0\" \"$@\"", Self.words, environment: Self.target(other))
        #expect(copied.output == "1 copied, 19 unchanged\n")
        #expect(try await other.otherRegistrations().count == 1)
    }

    @Test(arguments: [0, 2]) func `remembers the failures of an interrupted run`(failed: Int) async throws {
        let (source, other) = (try await DeviceScene(DeviceScene.phones(5)), try await DeviceScene())
        defer {
            source.remove()
            other.remove()
        }
        let page = try await source.emulator.makeClient().registrationPage(pageSize: 4)
        let token = try #require(page.continuationToken)
        let address = { (scene: DeviceScene) in
            "http://\(scene.counting.server.connectionString.split(separator: "/")[1])/push"
        }
        try source.write(
            """
            {"nhubCopy":1,"from":"\(address(source))","to":"\(address(other))","filter":"  "}
            {"changed":2,"unchanged":0,"skipped":0,"failed":\(failed),"token":"\(token)"}

            """, to: "nhub-copy.journal")
        let outcome = try await source.shell("exec \"$0\" \"$@\"", Self.words, environment: Self.target(other))
        #expect(outcome.status == (failed == 0 ? 0 : 1), "\(outcome.messages)")
        #expect(outcome.output.hasSuffix(failed == 0 ? "copied\n" : "copied, 2 failed\n"))
    }

    @Test func `reports a listing that the hub no longer continues`() async throws {
        let (source, other) = (try await DeviceScene(DeviceScene.phones(1)), try await DeviceScene())
        defer {
            source.remove()
            other.remove()
        }
        let address = { (scene: DeviceScene) in
            "http://\(scene.counting.server.connectionString.split(separator: "/")[1])/push"
        }
        try source.write(
            """
            {"nhubCopy":1,"from":"\(address(source))","to":"\(address(other))","filter":"  "}
            {"changed":2,"token":"unknown"}

            """, to: "nhub-copy.journal")
        let outcome = try await source.shell("exec \"$0\" \"$@\"", Self.words, environment: Self.target(other))
        #expect(outcome.status == 1)
        #expect(outcome.messages.contains("(remove nhub-copy.journal to start over)"), "\(outcome.messages)")
    }

    @Test func `copies to the hub of a profile`() async throws {
        let (source, other) = (try await DeviceScene(DeviceScene.phones(2)), try await DeviceScene())
        defer {
            source.remove()
            other.remove()
        }
        try FileManager.default.createDirectory(
            at: source.directory.appending(path: "nhub"), withIntermediateDirectories: true)
        try source.write(
            "[other]\nconnection-string = \(other.counting.server.connectionString)\nhub = push\n", to: "nhub/config")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: source.path("nhub/config"))
        let outcome = try await source.run(
            "copy", "--to", "other", "--yes", environment: ["XDG_CONFIG_HOME": source.directory.path])
        #expect(outcome.status == 0 && outcome.output == "2 copied\n", "\(outcome.messages)")
        #expect(other.emulator.installations.count == 2)
    }

    @Test func `changes nothing in a dry run`() async throws {
        let (source, other) = (try await DeviceScene(DeviceScene.phones(2)), try await DeviceScene())
        defer {
            source.remove()
            other.remove()
        }
        let words = Self.words.filter { $0 != "--yes" } + ["--dry-run"]
        let outcome = try await source.shell("exec \"$0\" \"$@\"", words, environment: Self.target(other))
        #expect(outcome.lines.last == "2 would be copied")
        #expect(other.emulator.installations.isEmpty && source.lines(of: "nhub-copy.journal") == nil)
    }

    @Test func `rejects a copy of a hub to itself`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let outcome = try await scene.shell("exec \"$0\" \"$@\"", Self.words, environment: Self.target(scene))
        #expect(outcome.status == 2 && outcome.messages == "nhub: the two hubs are the same\n")
    }

    @Test func `rejects a copy without a target`() async throws {
        try await NHubProgram.expectUsageError(["copy"], "pass exactly one of --to, --to-connection-string-env")
    }
}
