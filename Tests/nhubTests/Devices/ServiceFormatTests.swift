import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

/// Files with the XML of one registration per line, which jobs of the service read and write.
@Suite(.timeLimit(.minutes(30))) struct ServiceFormatTests {
    private static let registrations = [
        Registration(pushChannel: .apple(deviceToken: [0xab]), tags: ["news", "old"]),
        Registration(
            pushChannel: .apple(deviceToken: [0xab]), pushVariables: ["name": "Zoe"],
            template: .init(
                body: "{\"aps\":\r\n{\"alert\":\"$(message)\",\"note\":\"<]]>\"}}", name: "t",
                headers: ["apns-priority": "5"])),
        Registration(pushChannel: .gcm(registrationID: "token")),
    ]

    /// Removes the entity tags and times, which only the hub sets.
    private static func comparable(_ lines: [String]) -> [String] {
        let added = #/<(ETag|ExpirationTime)>[^<]*<\/\1>|<Expiry i:nil="true"\/>|<ApnsHeaders\/>/#
        return lines.map { $0.replacing(added, with: "") }.sorted()
    }

    @Test func `writes the same lines as an export job`() async throws {
        let scene = try await DeviceScene([DeviceScene.phones(1)[0]], Self.registrations)
        defer { scene.remove() }
        let container = try scene.emulator.makeContainer(named: "jobs")
        _ = try await scene.emulator.makeClient().submitJob(.export(to: container.url))
        let outcome = try await scene.run("export", "devices.xml", "--format", "service")
        #expect(outcome.status == 0 && outcome.output == "exported  0 installations, 5 registrations\n")
        #expect(
            outcome.messages
                == "nhub: warning: 2 devices: nhub import rejects the registration of an installation: use --format json to export the installation\n"
        )
        let job = try #require(container.read("push/1/Output.txt"))
        let jobLines = String(decoding: job, as: UTF8.self).split(separator: "\n").map(String.init)
        let lines = try #require(scene.lines(of: "devices.xml"))
        #expect(Self.comparable(lines) == Self.comparable(jobLines))
    }

    @Test func `restores the registrations of a hub`() async throws {
        let scene = try await DeviceScene([], Self.registrations)
        defer { scene.remove() }
        #expect(try await scene.run("export", "devices.xml", "--format", "service").status == 0)
        let other = try await DeviceScene()
        defer { other.remove() }
        let imported = try await other.run("import", scene.path("devices.xml"))
        #expect(imported.status == 0 && imported.output.hasPrefix("3 put"), "\(imported.error)")
        #expect(try await other.otherRegistrations() == scene.otherRegistrations())
    }

    @Test(arguments: [
        (#"<RegistrationDescription i:type="GcmRegistrationDescription"/>"#, "GcmRegistrationId"),
        (#"<Other/>"#, "is not a known kind of registration"),
        (#"<GcmRegistrationDescription>"#, "invalid registration: "),
        (
            #"<GcmRegistrationDescription><GcmRegistrationId>t</GcmRegistrationId><New>1</New></GcmRegistrationDescription>"#,
            "'line/GcmRegistrationDescription/New' is an unknown element"
        ),
    ])
    func `records lines that cannot be imported`(line: String, reason: String) async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        try scene.write(line + "\n", to: "devices.xml")
        #expect(try await scene.run("import", "devices.xml").status == 1)
        let failure = try #require(scene.lines(of: "devices.xml.failures.jsonl")?.first)
        let object = try #require(try JSONValue(parsing: failure.utf8).object)
        #expect(object["error"]?.string?.contains(reason) == true, "\(failure)")
        #expect(object["text"]?.string == line)
    }

    @Test(arguments: [
        #"<GcmRegistrationDescription><Tags>$InstallationId:{phone-7}</Tags><GcmRegistrationId>t</GcmRegistrationId></GcmRegistrationDescription>"#,
        #"{"registrationId":"1-1-1","platform":"gcm","pushChannel":"t","tags":["$InstallationId:{phone-7}"]}"#,
    ])
    func `does not import a registration of an installation`(line: String) async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        try scene.write(line + "\n", to: "devices")
        #expect(try await scene.run("import", "devices").status == 1)
        let failure = try #require(scene.lines(of: "devices.failures.jsonl")?.first)
        let object = try #require(try JSONValue(parsing: failure.utf8).object)
        #expect(
            object["error"]?.string
                == "cannot import a registration of the installation phone-7: export the installation with nhub export")
    }

    @Test(arguments: ["csv", "service"])
    func `requires a file in a CI job, which changes standard output`(format: String) async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let arguments = ["export", "-", "--format", format]
        let command = "exec \"$0\" \"$@\""
        #expect(try await scene.shell(command, arguments).status == 0)
        let outcome = try await scene.shell(command, arguments, environment: ["GITHUB_ACTIONS": "true"])
        #expect(outcome.status == 2)
        #expect(outcome.error.contains("--format \(format): name a file; in a CI job, standard output is escaped"))
    }

    @Test func `imports a corrected failure`() async throws {
        let scene = try await DeviceScene()
        defer { scene.remove() }
        let line = "<GcmRegistrationDescription><GcmRegistrationId>t</GcmRegistrationId></GcmRegistrationDescription>"
        try scene.write(#"{"line":1,"error":"no","text":"\#(line)"}"# + "\n", to: "corrected.jsonl")
        #expect(try await scene.run("import", "corrected.jsonl").status == 0)
        #expect(try await scene.otherRegistrations() == [Registration(pushChannel: .gcm(registrationID: "t"))])
    }

    @Test func `resumes an export without repeating a registration`() async throws {
        let registrations = (1...250).map { Registration(pushChannel: .gcm(registrationID: "token-\($0)")) }
        let scene = try await DeviceScene([], registrations)
        defer { scene.remove() }
        let killed = try await scene.runKilled("export", "devices.xml", "--format", "service", after: 2)
        #expect(killed.status == SIGKILL)
        #expect(try await scene.run("export", "devices.xml", "--format", "service").status == 0)
        #expect(Set(try #require(scene.lines(of: "devices.xml"))).count == 250)
        #expect(scene.lines(of: "devices.xml")?.count == 250)
    }
}
