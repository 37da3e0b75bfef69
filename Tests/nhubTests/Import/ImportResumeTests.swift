import NotificationHubsEmulatorServer
import Foundation
import HubLock
import HubTestSupport
import NotificationHubsEmulator
import NotificationHubsTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct ImportResumeTests {
    private static let concurrency = 8

    /// Returns lines of which every tenth fails, half of them before a request is sent.
    private static func mixedLines(_ count: Int) -> [String] {
        (1...count).map { number in
            switch number % 20 {
            case 0: "not JSON"
            case 10:
                ImportScene.line("d\(number)").replacing(#""tags":["tag"]"#, with: #""templates":{"a":{"body":"{"}}"#)
            default: ImportScene.line("d\(number)")
            }
        }
    }

    @Test func `loses no line when killed, and repeats only lines in flight`()
        async throws
    {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try ImportScene(Self.mixedLines(400))
        defer { scene.remove() }
        var kills = 0
        for count in [1, 60, 130, 200, 290] {
            let outcome = try await run(scene, hub, SIGKILL, after: count)
            #expect(outcome.status == SIGKILL)
            #expect(scene.journal != nil)
            kills += 1
        }
        let outcome = try await scene.run(hub.server.connectionString, "--concurrency", "\(Self.concurrency)")
        #expect(outcome.status == 1, "some lines failed")
        #expect(outcome.output.hasPrefix("360 put, 40 failed"))
        #expect(hub.requestCount >= 380)
        #expect(hub.requestCount <= 380 + kills * Self.concurrency)
        #expect(hub.emulator.installations.count == 360)
        #expect(scene.failedNumbers.sorted() == Array(stride(from: 10, through: 400, by: 10)))
        #expect(scene.journal?.last == "complete")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `stops cleanly at a signal, and reports how to resume`(signal: Int32) async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try ImportScene(Self.mixedLines(300))
        defer { scene.remove() }
        let outcome = try await run(scene, hub, signal, after: 50)
        #expect(outcome.status == 128 + signal)
        #expect(outcome.errorWithoutWarnings.hasSuffix("nhub: interrupted; run the same command to resume\n"))
        #expect(outcome.output.contains(" put"))
        let stopped = hub.requestCount
        #expect(stopped < 285)
        let rest = try await scene.run(hub.server.connectionString, "--json")
        #expect(rest.output.hasPrefix(#"{"ending":"complete","put":270,"failed":30,"before":"#))
        #expect(hub.requestCount <= 285 + Self.concurrency)
        #expect(hub.emulator.installations.count == 270)
        #expect(scene.failedNumbers.count == 30)
    }

    /// Runs an import that receives a signal after a number of requests.
    private func run(
        _ scene: ImportScene, _ hub: CountingHub, _ signal: Int32, after count: Int
    ) async throws -> BuiltProgram.Outcome {
        try await scene.run(hub.server.connectionString, "--concurrency", "\(Self.concurrency)") {
            hub.send(signal, to: $0, after: count)
        }
    }

    /// Returns a scene with an interrupted import.
    private func makeInterruptedScene(_ hub: CountingHub) async throws -> ImportScene {
        let scene = try ImportScene(Self.mixedLines(200))
        let outcome = try await run(scene, hub, SIGINT, after: 40)
        #expect(outcome.status == 130)
        return scene
    }

    @Test func `does not resume with a changed input or another hub`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try await makeInterruptedScene(hub)
        defer { scene.remove() }
        let before = (scene.journal, scene.failures)
        let other = try CountingHub()
        defer { other.server.stop() }
        let rejected = try await scene.run(other.server.connectionString)
        #expect(rejected.status == 2)
        #expect(rejected.messages.contains("another hub, http://127.0.0.1:\(hub.server.port)/push"))

        // The changed input has the same size.
        try scene.write(
            Self.mixedLines(200).map { $0.replacing("d200", with: "e200").replacing("not JSON", with: "NOT JSON") })
        // Without the server, a request would fail.
        let connectionString = hub.server.connectionString
        hub.server.stop()
        let changed = try await scene.run(connectionString)
        #expect(changed.status == 2)
        #expect(changed.messages.contains("the input has changed"))
        #expect(changed.messages.contains("remove the journal"))
        #expect((scene.journal, scene.failures) == before)
        #expect(other.requestCount == 0)
    }

    @Test(arguments: [
        ("devices.jsonl", "\"$0\" import ./devices.jsonl"), ("./devices.jsonl", "\"$0\" import devices.jsonl"),
        ("devices.jsonl", "\"$0\" import \"$1\""), ("\"$1\"", "\"$0\" import devices.jsonl"),
        ("devices.jsonl", "cd / && \"$0\" import \"$1\""),
        ("devices.jsonl", "ln -s . link && \"$0\" import \"$PWD/link/devices.jsonl\""),
        ("devices.jsonl --failures d/f", "cd d && \"$0\" import ../devices.jsonl --failures f"),
    ])
    func `resumes an import under another spelling of its path`(first: String, second: String) async throws {
        let isRejecting = Locked(true)
        let server = try RawServer { _ in
            "HTTP/1.1 \(isRejecting.withLock { $0 } ? 401 : 200) Status\r\nContent-Length: 0\r\n\r\n"
        }
        defer { server.stop() }
        let scene = try ImportScene(["x", ImportScene.line("a"), "y"])
        defer { scene.remove() }
        let connection = ImportScene.connectionString(port: server.port)
        let stopped = try await scene.shell("mkdir d && \"$0\" import \(first)", connection)
        #expect(stopped.messages.hasSuffix("run the same command to resume\n"), "\(stopped.messages)")
        isRejecting.withLock { $0 = false }
        let outcome = try await scene.shell(second, connection)
        #expect(outcome.output.hasPrefix("1 put, 2 failed"), "\(outcome.messages)")
        #expect((scene.lines(of: "d/f") ?? scene.failures)?.count == 2)
    }

    @Test func `resumes after incomplete writes to the journal and the failure file`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try await makeInterruptedScene(hub)
        defer { scene.remove() }
        for (name, fragment) in [("journal", "19"), ("failures.jsonl", #"{"line":190,"error":"inv"#)] {
            let file = try FileHandle(forWritingTo: scene.directory.appending(path: "devices.jsonl.\(name)"))
            try file.seekToEnd()
            try file.write(contentsOf: Data(fragment.utf8))
            try file.close()
        }
        let outcome = try await scene.run(hub.server.connectionString)
        #expect(outcome.output.hasPrefix("180 put, 20 failed"))
        #expect(scene.failedNumbers.sorted() == Array(stride(from: 10, through: 200, by: 10)))
        #expect(scene.failures?.count == 20)
        #expect(hub.emulator.installations.count == 180)
    }

    @Test func `treats a line in the failure file as finished if the journal lacks it`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try await makeInterruptedScene(hub)
        defer { scene.remove() }
        let journal = try #require(scene.journal)
        let failed = scene.failedNumbers
        let last = try #require(failed.last)
        try Data(journal.filter { $0 != "\(last) failed" }.map { $0 + "\n" }.joined().utf8)
            .write(to: scene.directory.appending(path: "devices.jsonl.journal"))
        let outcome = try await scene.run(hub.server.connectionString)
        #expect(outcome.output.hasPrefix("180 put, 20 failed"))
        #expect(scene.failedNumbers.count == 20)
    }

    @Test func `creates a new failure file when the earlier one was moved`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try await makeInterruptedScene(hub)
        defer { scene.remove() }
        let before = scene.failedNumbers
        try FileManager.default.removeItem(at: scene.directory.appending(path: "devices.jsonl.failures.jsonl"))
        let outcome = try await scene.run(hub.server.connectionString)
        #expect(outcome.output.hasPrefix("180 put, 20 failed"))
        #expect((before + scene.failedNumbers).sorted() == Array(stride(from: 10, through: 200, by: 10)))
    }

    @Test func `keeps lines that the user has corrected`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try await makeInterruptedScene(hub)
        defer { scene.remove() }
        let corrected = ImportScene.line("corrected")
        try Data(corrected.utf8).write(to: scene.directory.appending(path: "devices.jsonl.failures.jsonl"))
        #expect(try await scene.run(hub.server.connectionString).status == 1)
        #expect(scene.failures?.first == corrected)
        #expect(scene.failures?.count == scene.failedNumbers.count + 1)
    }

    @Test func `rejects a concurrent import of the same file`() async throws {
        let isHeld = Locked(true)
        let server = try RawServer { _ in
            while isHeld.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.01) }
            return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        }
        defer { server.stop() }
        let scene = try ImportScene([ImportScene.line("a"), ImportScene.line("b")])
        defer { scene.remove() }
        let connection = ImportScene.connectionString(port: server.port)
        async let first = scene.run(connection)
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let second = try await scene.run(connection)
        isHeld.withLock { $0 = false }
        #expect(second.status == 2)
        #expect(second.messages.contains("another import is using the journal"))
        #expect(try await first.status == 0)
    }

    @Test func `does not change a file that is not a journal`() async throws {
        let scene = try ImportScene([ImportScene.line("a")])
        defer { scene.remove() }
        for text in ["precious", "precious\nlines\n"] {
            let file = scene.directory.appending(path: "precious")
            try Data(text.utf8).write(to: file)
            let outcome = try await scene.run(ImportScene.connectionString(port: 1), "--journal", file.path)
            #expect(outcome.status == 2)
            #expect(outcome.messages.contains("not the journal of an import"))
            #expect(!outcome.messages.contains("remove"))
            #expect(try Data(contentsOf: file) == Data(text.utf8))
        }
    }
}
