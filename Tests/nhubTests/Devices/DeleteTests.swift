import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct DeleteTests {
    @Test(arguments: [
        ("phone-1\n\nphone-2\r\nphone-1\n", 2), (#"["phone-1", "phone-2"]"#, 2),
        ("{\"installationId\":\"phone-1\",\"platform\":\"gcm\"}\n\"phone-2\"\n", 2), ("missing\n", 1), ("", 0),
        ("\u{feff}phone-1\n{\"registrationId\":\"1\"}\nphone-2", 2),
    ])
    func `deletes the installations in a file`(file: String, count: Int) async throws {
        let scene = try await DeviceScene(DeviceScene.phones(4))
        defer { scene.remove() }
        try scene.write(file, to: "ids")
        let outcome = try await scene.run("delete", "installations", "ids", "--yes")
        #expect(outcome.status == 0 && outcome.output == "\(count) deleted\n")
        let note = "nhub: skipped 1 lines of the file without installationId\n"
        #expect(outcome.messages == (file.contains("registrationId") ? note : ""))
        let left = file.contains("phone") ? ["phone-3", "phone-4"] : ["phone-1", "phone-2", "phone-3", "phone-4"]
        #expect(scene.emulator.installations.map(\.id.rawValue) == left)
    }

    @Test func `deletes nothing if a line of the file is invalid`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(2))
        defer { scene.remove() }
        try scene.write("phone-1\na/b\n", to: "ids")
        let outcome = try await scene.run("delete", "installations", "ids", "--yes")
        #expect(outcome.status == 3)
        #expect(outcome.messages.hasPrefix("nhub: invalid ID at line 2 of the file: "))
        #expect(scene.emulator.installations.count == 2)
    }

    @Test func `deletes registrations, but not those of installations`() async throws {
        let token = PushChannel.fcmV1(registrationToken: "token")
        let scene = try await DeviceScene(
            DeviceScene.phones(2),
            [Registration(pushChannel: token, tags: ["news"]), Registration(pushChannel: token, tags: ["old"])])
        defer { scene.remove() }
        let outcome = try await scene.run("delete", "registrations", "--tag", "news", "--yes", "--json")
        #expect(outcome.output.contains(#""changed":1,"#))
        #expect(try await scene.otherRegistrations().map(\.tags) == [["old"]])
        #expect(scene.emulator.installations.count == 2)
    }

    @Test func `lists the installations of a filter in a dry run`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(3))
        defer { scene.remove() }
        let outcome = try await scene.run("delete", "installations", "--tag", "news", "--dry-run")
        let reports = ["phone-1", "phone-2", "phone-3"].map { "would be deleted: installation \($0)" }
        // Devices are processed concurrently.
        #expect(outcome.lines.dropLast().sorted() == reports)
        #expect(outcome.lines.last == "3 would be deleted")
        #expect(scene.emulator.installations.count == 3)
    }

    @Test(arguments: [("yes\n", 0, 0), ("no\n", 1, 3), ("\n", 1, 3)])
    func `asks for confirmation on a terminal`(answer: String, status: Int32, count: Int) async throws {
        let scene = try await DeviceScene(DeviceScene.phones(3))
        defer { scene.remove() }
        let outcome = try await scene.shell(
            #"script -qec "'$0' delete installations --all" /dev/null"#, input: answer)
        #expect(outcome.output.contains("Delete 3 installations of the hub push? Type yes to continue:"))
        #expect(outcome.status == status)
        #expect(scene.emulator.installations.count == count)
    }

    @Test func `requires confirmation without a terminal`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(3))
        defer { scene.remove() }
        let outcome = try await scene.run("delete", "installations", "--all")
        #expect(outcome.status == 2)
        #expect(outcome.messages.hasPrefix("nhub: without a terminal, pass --yes to confirm"))
        #expect(scene.emulator.installations.count == 3)
    }

    @Test func `ends at an interrupt while it waits for confirmation`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(3))
        defer { scene.remove() }
        // The terminal sends SIGINT to the tool for the character 3.
        let input = #"""
            await() { for i in $(seq 600); do if grep -q "$1" out 2> /dev/null; then break; fi; sleep 0.1; done; }
            (await Type; printf '\003'; await 'Script done')
            """#
        let outcome = try await scene.shell(
            input + #" | script -qfec "'$0' delete installations --all" out > /dev/null"#)
        #expect(outcome.status == 130, "\(outcome.output)\(outcome.messages)")
        #expect(scene.emulator.installations.count == 3)
    }

    @Test func `deletes the rest after it was killed`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(120))
        defer { scene.remove() }
        for count in representatives([3, 40, 60], count: 2) {
            let outcome = try await scene.runKilled("delete", "installations", "--all", "--yes", after: count)
            #expect(outcome.status == SIGKILL)
        }
        let outcome = try await scene.run("delete", "installations", "--all", "--yes")
        #expect(outcome.status == 0 && scene.emulator.installations.isEmpty)
    }

    @Test(arguments: [
        (["delete", "installations"], "missing devices: pass a file, - for standard input, a filter or --all"),
        (["delete", "installations", "--all", "--tag", "a"], "a file, filters and --all cannot be combined"),
        (["delete", "installations", "ids", "--all"], "a file, filters and --all cannot be combined"),
        (["delete", "all"], "unknown action: \"all\""),
    ])
    func `rejects invalid command lines`(words: [String], message: String) async throws {
        try await NHubProgram.expectUsageError(words, message)
    }
}
