import NotificationHubsEmulatorServer
import Foundation
import HubCrypto
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct ExportTests {
    private static let registrations = [
        Registration(pushChannel: .apple(deviceToken: [0xab]), tags: ["news", "old"]),
        Registration(
            pushChannel: .apple(deviceToken: [0xab]), pushVariables: ["name": "Zoe"],
            template: .init(body: #"{"aps":{"alert":"$(message)"}}"#, name: "t", headers: ["apns-priority": "5"])),
        Registration(
            pushChannel: .browser(.init(endpoint: "https://push.example.com/1", p256dh: "BPk", auth: "sesame"))),
    ]

    @Test func `writes a file from which an import restores the hub`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(120), Self.registrations)
        defer { scene.remove() }
        let outcome = try await scene.run("export", "devices.jsonl")
        #expect(outcome.status == 0 && outcome.messages == "")
        #expect(outcome.output == "exported  120 installations, 3 registrations\n")
        let permissions = try FileManager.default.attributesOfItem(atPath: scene.path("devices.jsonl"))[
            .posixPermissions]
        #expect(permissions as? Int == 0o600, "the file contains devices' handles")
        #expect(scene.lines(of: "devices.jsonl.journal") == nil)

        let other = try await DeviceScene()
        defer { other.remove() }
        // Twice, because an import can be repeated.
        for _ in 0..<2 {
            let imported = try await other.run("import", scene.path("devices.jsonl"))
            #expect(imported.output.hasPrefix("123 put"))
        }
        #expect(other.emulator.installations == scene.emulator.installations)
        #expect(try await other.otherRegistrations() == scene.otherRegistrations())
    }

    @Test func `writes the selected devices to standard output`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(3), Self.registrations)
        defer { scene.remove() }
        let outcome = try await scene.run("export", "-", "--platform", "apns")
        #expect(outcome.values(of: "registrationId").count == 2 && outcome.lines.count == 2)
    }

    @Test func `escapes what a terminal would interpret`() async throws {
        let hidden = "\u{9b}2J\u{202e}\u{2066}\u{200f}\u{61c}"
        let phone = Installation(
            id: "phone", pushChannel: .apple(deviceToken: [1]),
            templates: ["a": Installation.Template(body: "{\"a\":\"\(hidden)é\"}")])
        let scene = try await DeviceScene([phone])
        defer { scene.remove() }
        let outcome = try await scene.run("export", "-")
        #expect(!outcome.output.unicodeScalars.contains { hidden.unicodeScalars.contains($0) && !$0.isASCII })
        #expect(outcome.output.contains(#"\u009b2J\u202e\u2066\u200f\u061cé"#))
        #expect(try Installation(json: Array(outcome.lines[0].utf8)).templates["a"]?.body == "{\"a\":\"\(hidden)é\"}")
    }

    @Test func `continues after it was killed, without losing or repeating a device`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(210))
        defer { scene.remove() }
        for count in representatives([1, 60, 120], count: 2) {
            let outcome = try await scene.runKilled("export", "devices.jsonl", after: count)
            #expect(outcome.status == SIGKILL)
        }
        #expect(scene.lines(of: "devices.jsonl.journal")?.last?.contains("\"token\":") == true)
        let outcome = try await scene.run("export", "devices.jsonl", "--json")
        #expect(outcome.output.hasPrefix(#"{"installations":210,"registrations":0,"#))
        let ids = try #require(scene.lines(of: "devices.jsonl")).compactMap { line -> String? in
            guard case .object(let object)? = try? JSONValue(parsing: line.utf8) else { return nil }
            guard case .string(let id)? = object["installationId"] else { return nil }
            return id
        }
        let expected = DeviceScene.phones(210).map(\.id.rawValue)
        #expect(ids.sorted() == expected.sorted())
        #expect(scene.lines(of: "devices.jsonl.journal") == nil)
    }

    @Test func `continues at the last recorded position`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(5))
        defer { scene.remove() }
        var iterator = scene.emulator.makeClient().installations(pageSize: 4).pages.makeAsyncIterator()
        let page = try #require(try await iterator.next())
        let exported = page.installations.map { String(decoding: $0.json, as: UTF8.self) + "\n" }.joined()
        try scene.write(exported + "{\"installationId\":\"incomplete", to: "devices.jsonl")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: scene.path("devices.jsonl"))
        let hub = "http://\(scene.counting.server.connectionString.split(separator: "/")[1])/push"
        let token = try #require(page.continuationToken)
        let (size, digest) = (exported.utf8.count, SHA256.hash(data: exported.utf8))
        try scene.write(
            """
            {"nhubExport":1,"hub":"\(hub)","filter":"  "}
            {"bytes":\(size),"sha256":"\(digest)","installations":\(page.installations.count),"registrations":0,"token":"\(token)"}
            {"bytes":
            """, to: "devices.jsonl.journal")
        let outcome = try await scene.run("export", "devices.jsonl", "--json")
        #expect(outcome.output.hasPrefix(#"{"installations":5,"registrations":0,"#), "\(outcome.messages)")
        let lines = try #require(scene.lines(of: "devices.jsonl"))
        #expect(lines.count == 5 && Set(lines).count == 5 && lines.allSatisfy { $0.hasSuffix("}") })
        let attributes = try FileManager.default.attributesOfItem(atPath: scene.path("devices.jsonl"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: ["", "{\"installationId\":\"a\"}\n"], ["{\"installationId\":\"b\"}\n", "another file\n"])
    func `does not overwrite a file that was replaced since the export began`(recorded: String, content: String)
        async throws
    {
        let scene = try await DeviceScene(DeviceScene.phones(1))
        defer { scene.remove() }
        let hub = "http://\(scene.counting.server.connectionString.split(separator: "/")[1])/push"
        let journal = """
            {"nhubExport":1,"hub":"\(hub)","filter":"  "}
            {"bytes":\(recorded.utf8.count),"sha256":"\(SHA256.hash(data: recorded.utf8))"}

            """
        try scene.write(content, to: "devices.jsonl")
        try scene.write(journal, to: "devices.jsonl.journal")
        let outcome = try await scene.run("export", "devices.jsonl")
        #expect(outcome.status == 2)
        #expect(outcome.messages.contains("devices.jsonl does not match its journal: remove it and "))
        #expect(try BuiltProgram.text(of: scene.directory.appending(path: "devices.jsonl")) == content)
        #expect(try BuiltProgram.text(of: scene.directory.appending(path: "devices.jsonl.journal")) == journal)
    }

    @Test func `lets only the owner read a file that existed, and follows no symbolic link`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(1))
        defer { scene.remove() }
        try scene.write("", to: "devices.jsonl")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: scene.path("devices.jsonl"))
        #expect(try await scene.run("export", "devices.jsonl").status == 0)
        let attributes = try FileManager.default.attributesOfItem(atPath: scene.path("devices.jsonl"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)

        try scene.write("", to: "target")
        try FileManager.default.createSymbolicLink(
            atPath: scene.path("link"), withDestinationPath: scene.path("target"))
        let outcome = try await scene.run("export", "link")
        #expect(outcome.status == 3)
        #expect(
            outcome.messages
                == "nhub: cannot write link: the path contains a symbolic link: pass the path of its target\n")
        #expect(scene.lines(of: "target") == [])
    }

    @Test func `says how to continue if the file of a journal is missing`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(1))
        defer { scene.remove() }
        let hub = "http://\(scene.counting.server.connectionString.split(separator: "/")[1])/push"
        try scene.write(
            """
            {"nhubExport":1,"hub":"\(hub)","filter":"  "}
            {"bytes":0,"installations":0,"registrations":0,"token":"unknown"}

            """, to: "devices.jsonl.journal")
        let outcome = try await scene.run("export", "devices.jsonl")
        #expect(outcome.status == 2)
        #expect(
            outcome.messages
                == "nhub: devices.jsonl is missing: restore it, or remove devices.jsonl.journal to start over\n")
    }

    @Test(arguments: [
        ("data\n", nil, 2, "devices.jsonl exists: choose another file, or remove it"),
        ("", nil, 0, ""),
        (
            "", "{\"nhubExport\":1,\"hub\":\"http://other/push\",\"filter\":\"  \"}\n", 2,
            "is not the journal of this command"
        ),
        ("", "anything", 2, "is not the journal of this command"), ("", "{\"nhubExp", 0, ""),
    ])
    func `never overwrites another file or journal`(
        file: String, journal: String?, status: Int32, message: String
    ) async throws {
        let scene = try await DeviceScene(DeviceScene.phones(1))
        defer { scene.remove() }
        try scene.write(file, to: "devices.jsonl")
        if let journal { try scene.write(journal, to: "devices.jsonl.journal") }
        let outcome = try await scene.run("export", "devices.jsonl")
        #expect(outcome.status == status)
        #expect(message.isEmpty ? outcome.messages.isEmpty : outcome.messages.contains(message))
        if status != 0 {
            #expect(try BuiltProgram.text(of: scene.directory.appending(path: "devices.jsonl")) == file)
            let left = try? BuiltProgram.text(of: scene.directory.appending(path: "devices.jsonl.journal"))
            #expect(left == journal)
        }
    }

    @Test func `exits with 3 if the file cannot be written, and continues afterwards`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(300))
        defer { scene.remove() }
        // A limit on the size of files, in blocks of 512 bytes, has the effect of a full disk.
        let full = try await scene.shell(#"trap '' XFSZ; ulimit -f 40; exec "$0" export devices.jsonl"#)
        #expect(full.status == 3)
        #expect(full.messages.hasPrefix("nhub: cannot write devices.jsonl: "), "\(full.messages)")
        #expect(try await scene.run("export", "devices.jsonl").status == 0)
        let lines = try #require(scene.lines(of: "devices.jsonl"))
        #expect(lines.count == 300 && Set(lines).count == 300)
    }

    @Test func `reports a listing that the hub no longer continues`() async throws {
        let scene = try await DeviceScene(DeviceScene.phones(1))
        defer { scene.remove() }
        let hub = "http://\(scene.counting.server.connectionString.split(separator: "/")[1])/push"
        try scene.write("", to: "devices.jsonl")
        try scene.write(
            """
            {"nhubExport":1,"hub":"\(hub)","filter":"  "}
            {"bytes":0,"installations":0,"registrations":0,"token":"unknown"}

            """, to: "devices.jsonl.journal")
        let outcome = try await scene.run("export", "devices.jsonl")
        #expect(outcome.status == 1)
        #expect(outcome.messages.contains("cannot resume: "), "\(outcome.messages)")
        #expect(outcome.messages.contains("remove the file and devices.jsonl.journal to start over"))
    }
}
