import NotificationHubsEmulatorServer
import Foundation
import HubCommandLine
import HubTestSupport
import Testing

@testable import nhub

@Suite struct ImportRecordsTests {
    @Test func `writes a failure before the journal records it`() throws {
        let scene = try ImportScene(["x", ImportScene.line("a")])
        defer { scene.remove() }
        let records = try ImportRecords(try ImportOptions(Arguments([scene.input.path])), hub: "h")
        try records.addFailure(1, "no", .text("x"), now: .zero)
        #expect(scene.failedNumbers == [1])
        #expect(scene.journal?.contains("1 failed") == false)
        try records.add(2, .put, now: .seconds(2))
        #expect(scene.journal?.suffix(2) == ["2 put", "1 failed"])
    }

    @Test func `recovers failures that the journal lacks`() throws {
        let scene = try ImportScene(["x", "y", ImportScene.line("a")])
        defer { scene.remove() }
        let options = try ImportOptions(Arguments([scene.input.path]))
        do {
            let records = try ImportRecords(options, hub: "h")
            try records.addFailure(1, "no", .text("x"), now: .zero)
            try records.addFailure(2, "no", .text("y"), now: .zero)
        }
        let records = try ImportRecords(options, hub: "h")
        #expect(records.finished.count(.failed) == 2)
        #expect(scene.journal?.suffix(2) == ["1 failed", "2 failed"])
        #expect(scene.failedNumbers == [1, 2])
    }

    /// The steps of an import of three lines, of which two fail.
    private static let steps: [@Sendable (ImportRecords) throws -> Void] = [
        { try $0.add(1, .put, now: .zero) },
        { try $0.failures.create() },
        { try $0.addFailure(2, "no", .text("x"), now: .zero) },
        { try $0.addFailure(3, "no", .text("y"), now: .zero) },
        { try $0.synchronize() },
        { try $0.complete() },
    ]

    @Test(arguments: 0...steps.count)
    func `finishes the import after a crash at any step, and reports its failures once`(count: Int) async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try ImportScene([ImportScene.line("a"), "x", "y"])
        defer { scene.remove() }
        do {
            // The same hub as that of the command.
            let records = try ImportRecords(
                try ImportOptions(Arguments([scene.input.path])), hub: "http://127.0.0.1:\(hub.server.port)/push")
            for step in Self.steps.prefix(count) { try step(records) }
        }
        for _ in 1...2 {
            let outcome = try await scene.run(hub.server.connectionString)
            #expect(outcome.status == 1, "\(outcome.messages)")
            #expect(scene.failedNumbers.sorted() == [2, 3])
            #expect(scene.journal?.last == "complete")
        }
    }

    @Test func `starts over when the failures of a complete import are moved or overwritten`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try ImportScene([ImportScene.line("a"), "x"])
        defer { scene.remove() }
        #expect(try await scene.run(hub.server.connectionString).status == 1)
        let file = scene.directory.appending(path: "devices.jsonl.failures.jsonl")
        for option in ["", "--overwrite-failures"] {
            let count = hub.requestCount
            if option.isEmpty { try FileManager.default.removeItem(at: file) }
            let options = option.isEmpty ? [] : [option]
            #expect(try await scene.run(hub.server.connectionString, options: options).status == 1)
            #expect(hub.requestCount > count)
            #expect(scene.failedNumbers == [2])
        }
        try scene.write([ImportScene.line("b")])
        try FileManager.default.removeItem(at: file)
        #expect(try await scene.run(hub.server.connectionString).status == 0, "another import was complete")
        #expect(scene.journal == nil)
    }

    @Test(arguments: [("other", "x"), ("h", "y")])
    func `keeps the files of a complete import when it refuses another one`(hub: String, line: String) throws {
        let scene = try ImportScene(["x"])
        defer { scene.remove() }
        let options = try ImportOptions(Arguments([scene.input.path]))
        do {
            let records = try ImportRecords(options, hub: "h")
            try records.addFailure(1, "no", .text("x"), now: .zero)
            try records.synchronize()
            try records.complete()
        }
        let before = (scene.journal, scene.failures)
        try scene.write([line])
        let other = try ImportOptions(Arguments([scene.input.path]))
        #expect(throws: UsageError.self) { try ImportRecords(other, hub: hub) }
        #expect((scene.journal, scene.failures) == before)
    }

    @Test func `leaves no journal when it refuses a new import`() throws {
        let scene = try ImportScene(["x"])
        defer { scene.remove() }
        let options = try ImportOptions(Arguments([scene.input.path]))
        try Data("precious\n".utf8).write(to: URL(filePath: options.failuresPath))
        #expect(throws: UsageError.self) { try ImportRecords(options, hub: "h") }
        #expect(scene.journal == nil)
        #expect(scene.failures == ["precious"])
    }

    @Test func `keeps the failures in all files of the import that it resumes`() throws {
        let scene = try ImportScene(["x", "y", ImportScene.line("a")])
        defer { scene.remove() }
        let other = scene.directory.appending(path: "other").path
        for (line, options) in [(1, []), (2, ["--failures", other])] {
            try ImportRecords(try ImportOptions(Arguments([scene.input.path] + options)), hub: "h")
                .addFailure(line, "no", .text("x"), now: .seconds(1))
        }
        let options = try ImportOptions(Arguments([scene.input.path, "--overwrite-failures"]))
        #expect(try ImportRecords(options, hub: "h").finished.count(.failed) == 2)
        #expect(scene.failedNumbers == [1])
    }

    @Test func `truncates an incomplete journal record`() throws {
        let scene = try ImportScene([ImportScene.line("a"), ImportScene.line("b")])
        defer { scene.remove() }
        let options = try ImportOptions(Arguments([scene.input.path]))
        do {
            let records = try ImportRecords(options, hub: "h")
            try records.add(1, .put, now: .zero)
        }
        try AppendedFile(path: options.journalPath, .open).append(Array("1".utf8))
        try ImportRecords(options, hub: "h").add(2, .put, now: .zero)
        #expect(scene.journal?.suffix(2) == ["1 put", "2 put"])
        #expect(try ImportRecords(options, hub: "h").finished.mark == 2)
    }
}
