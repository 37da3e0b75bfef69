import NotificationHubsEmulatorServer
import Foundation
import HubTestSupport
import NotificationHubsEmulator
import Testing

/// Imports whose journal or failure file cannot be written.
@Suite(.timeLimit(.minutes(30))) struct ImportDiskTests {
    // A limit on the size of files fails a write in the same place as a full disk.
    @Test(arguments: [
        (true, "devices.jsonl.journal: File too large"),
        (false, "devices.jsonl.failures.jsonl: File too large"),
    ])
    func `exits with 3 if the disk is full, and resumes afterwards`(hasValidLines: Bool, message: String) async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let invalidLine = String(repeating: "x", count: 50)
        let scene = try ImportScene((0..<300).map { hasValidLines ? ImportScene.line("phone-\($0)") : invalidLine })
        defer { scene.remove() }
        let connection = hub.server.connectionString
        let full = try await scene.shell("trap '' XFSZ; ulimit -f 1; \"$0\" import \"$1\"", connection)
        #expect(full.status == 3)
        #expect(full.messages.hasSuffix(message + "\n"), "\(full.messages)")
        #expect(full.messages.split(separator: "\n").count == 1)
        let resumed = try await scene.run(connection)
        #expect((scene.journal == nil) == hasValidLines)
        #expect(resumed.output.contains("of them in earlier runs"), "\(resumed.output)\(resumed.messages)")
        #expect(hub.emulator.installations.count == (hasValidLines ? 300 : 0))
        #expect(scene.failedNumbers.sorted() == (hasValidLines ? [] : Array(1...300)))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `exits with 3 if the failure file is a device`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try ImportScene(["x"])
        defer { scene.remove() }
        let outcome = try await scene.run(hub.server.connectionString, "--failures", "/dev/full")
        #expect(outcome.status == 3)
        #expect(outcome.messages == "nhub: cannot write /dev/full: not a regular file\n")
    }

    @Test(arguments: [nil, "", "content\n"]) func `never follows a symbolic link to a journal`(content: String?)
        async throws
    {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try ImportScene([ImportScene.line("phone")])
        defer { scene.remove() }
        let target = scene.directory.appending(path: "target")
        if let content { try Data(content.utf8).write(to: target) }
        try FileManager.default.createSymbolicLink(
            at: scene.directory.appending(path: "devices.jsonl.journal"), withDestinationURL: target)
        let outcome = try await scene.run(hub.server.connectionString)
        #expect(outcome.status == 3)
        #expect(
            outcome.messages
                == "nhub: cannot write the journal \(scene.directory.path)/devices.jsonl.journal: the path contains a symbolic link: pass the path of its target\n"
        )
        #expect((try? BuiltProgram.text(of: target)) == content)
        #expect(hub.requestCount == 0)
    }

    @Test func `does not mention a failure file without failures`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try ImportScene([ImportScene.line("phone")])
        defer { scene.remove() }
        try Data().write(to: scene.directory.appending(path: "devices.jsonl.failures.jsonl"))
        let outcome = try await scene.run(hub.server.connectionString)
        #expect(outcome.status == 0 && outcome.output.hasPrefix("1 put in") && !outcome.output.contains("Failed"))
    }
}
