import Foundation
import HubTestSupport
import NotificationHubsEmulator
import Testing

@testable import nhub

@Suite(.timeLimit(.minutes(30))) struct EmulatorTests {
    @Test func `says where its hubs are and what opens them, and ends well when it is told to stop`() async throws {
        let outcome = try await EmulatorScene.serve(["--json", "--hub", "a", "--hub", "b", "--tier", "basic"]) { port in
            let status = try EmulatorScene.status("/$emulator/", port: port)
            #expect(status == 200)
        }
        #expect((outcome.status, outcome.error) == (0, ""))
        let report = try EmulatorScene.report(outcome)
        #expect(report.page == report.url + "$emulator/")
        #expect(report.url == "http://127.0.0.1:\(report.port)/")
        #expect(report.controlToken == nil)
        #expect(report.hubs.map(\.name) == ["a", "b"])
        #expect(report.hubs.map(\.tier) == ["basic", "basic"])
        let strings = report.hubs.flatMap { [$0.connectionString, $0.listenConnectionString] }
        #expect(Set(strings).count == 4, "keys are random")
        let names = ["DefaultFullSharedAccessSignature", "DefaultListenSharedAccessSignature"]
        for (string, name) in zip(strings, names + names) {
            let start = "Endpoint=sb://127.0.0.1:\(report.port)/;SharedAccessKeyName=\(name);SharedAccessKey="
            #expect(string.hasPrefix(start) && string.hasSuffix(";UseDevelopmentEmulator=true"))
        }
    }

    @Test func `says the same to people`() async throws {
        let keys = ["NOTIFICATION_HUB_EMULATOR_FULL_KEY": "full=", "NOTIFICATION_HUB_EMULATOR_LISTEN_KEY": "listen="]
        let outcome = try await EmulatorScene.serve([], environment: keys) { _ in }
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.first == "An emulated hub, \"push\", standard tier:")
        #expect(outcome.output.contains("SharedAccessKey=full=;"))
        #expect(outcome.output.contains("SharedAccessKey=listen=;"))
        #expect(lines.last?.hasSuffix("/$emulator/") == true)
    }

    @Test func `begins with the installations of a file, and leaves them in one`() async throws {
        let scene = try ImportScene([ImportScene.line("b"), "", ImportScene.line("a")])
        defer { scene.remove() }
        let export = scene.directory.appending(path: "export.jsonl")
        try Data("old".utf8).write(to: export)
        let options = ["--import", scene.input.path, "--export", export.path]
        let outcome = try await EmulatorScene.serve(options) { _ in }
        #expect((outcome.status, outcome.error) == (0, ""))
        let lines = try #require(scene.lines(of: "export.jsonl"))
        #expect(lines.count == 2)
        #expect(lines[0].contains(#""installationId":"a""#) && lines[1].contains(#""installationId":"b""#))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.directory.path).count == 2, "a draft is left")

        // What it left, it begins with.
        let again = ["--import", export.path, "--export", export.path]
        #expect(try await EmulatorScene.serve(again) { _ in }.status == 0)
        #expect(scene.lines(of: "export.jsonl") == lines)
    }

    @Test func `begins with a file for each of several hubs, and leaves one for each`() async throws {
        let scene = try ImportScene([ImportScene.line("a1")])
        defer { scene.remove() }
        // A path with an equals sign is none of a hub.
        let second = scene.directory.appending(path: "b=2.jsonl")
        try Data((ImportScene.line("b1") + "\n" + ImportScene.line("b2")).utf8).write(to: second)
        let path = { (name: String) in scene.directory.appending(path: name).path }
        let outcome = try await EmulatorScene.serve([
            "--hub", "a", "--hub", "b", "--hub", "c", "--import", scene.input.path, "--import", "B=\(second.path)",
            "--export", "c=\(path("c"))", "--export", "a=\(path("a"))", "--export", "b=\(path("b"))",
        ]) { _ in }
        #expect((outcome.status, outcome.error) == (0, ""))
        #expect(scene.lines(of: "a")?.count == 1)
        #expect(scene.lines(of: "b")?.count == 2)
        #expect(scene.lines(of: "c") == [])
        let again = ["--hub", "b", "--import", second.path, "--export", path("b again")]
        #expect(try await EmulatorScene.serve(again) { _ in }.status == 0)
        #expect(scene.lines(of: "b again") == scene.lines(of: "b"))
    }

    @Test func `leaves the other hubs' files where one cannot be written any more`() async throws {
        let scene = try ImportScene([])
        defer { scene.remove() }
        let folder = scene.directory.appending(path: "folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let options = [
            "--hub", "a", "--hub", "b", "--export", folder.appending(path: "a").path,
            "--export", "b=\(scene.directory.appending(path: "b").path)",
        ]
        let outcome = try await EmulatorScene.serve(options) { _ in try FileManager.default.removeItem(at: folder) }
        #expect(outcome.status == 3)
        #expect(outcome.error == "nhub: a: the export cannot be written: No such file or directory\n")
        #expect(scene.lines(of: "b") == [])
    }

    @Test func `leaves in the file what was taken, though the delay of writes is not over`() async throws {
        let scene = try ImportScene([])
        defer { scene.remove() }
        let tool = BuiltProgram.buildDirectory.appending(path: "nhub").path
        let outcome = try await EmulatorScene.exec(
            ["--write-delay", "1m", "--export", scene.directory.appending(path: "out.jsonl").path],
            "sh", "-c", #"echo "$2" | "$1" installation put -"#, "sh", tool, ImportScene.line("phone"))
        #expect(outcome.status == 0)
        #expect(scene.lines(of: "out.jsonl")?.count == 1)
    }

    @Test func `begins with nothing where the file that it is to leave is not there yet`() async throws {
        let scene = try ImportScene([])
        defer { scene.remove() }
        let path = scene.directory.appending(path: "new.jsonl").path
        #expect(try await EmulatorScene.serve(["--import", path, "--export", path]) { _ in }.status == 0)
        #expect(scene.lines(of: "new.jsonl") == [])
    }

    @Test func `stops to read a file when it is interrupted`() async throws {
        let scene = try ImportScene((1...10).map { ImportScene.line("\($0)") })
        defer { scene.remove() }
        let hub = HubEmulator()
        let reading = Task {
            try? await Task.sleep(for: .seconds(60))
            try InstallationFile.read(scene.input.path, into: hub, mayBeMissing: false)
        }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        #expect(hub.installations.isEmpty)
    }

    @Test(arguments: [
        ([#"{"installationId":"a"}"#], ["--import", "INPUT"], "line 1 of the import cannot be taken: "),
        (["", "x"], ["--import", "INPUT"], "line 2 of the import cannot be taken: no JSON"),
        ([], ["--import", "INPUT.not"], "cannot read the import: No such file or directory"),
        ([], ["--export", "INPUT/x"], "the export cannot be written: Not a directory"),
        (
            ["x"], ["--hub", "a", "--hub", "b", "--import", "b=INPUT"],
            "b: line 1 of the import cannot be taken: no JSON"
        ),
        (
            [], ["--hub", "a", "--hub", "b", "--export", "b=INPUT/x"],
            "b: the export cannot be written: Not a directory"
        ),
    ])
    func `does not begin with files that are not as they should be`(lines: [String], options: [String], message: String)
        async throws
    {
        let scene = try ImportScene(lines)
        defer { scene.remove() }
        let words = options.map { $0.replacing("INPUT", with: scene.input.path) }
        let outcome = try await EmulatorScene.exec(words, "true")
        #expect(outcome.status == 3)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("nhub: \(message)"))
    }

    @Test func `asks for a token where it listens beyond this machine, and warns`() async throws {
        let environment = ["NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN": "sesame"]
        let outcome = try await EmulatorScene.serve(["--listen", "0.0.0.0", "--json"], environment: environment) {
            port in
            let statuses = try [nil, "other", "sesame"].map {
                try EmulatorScene.status("/$emulator/hubs", port: port, token: $0)
            }
            #expect(statuses == [401, 401, 200])
        }
        #expect(outcome.status == 0)
        #expect(outcome.error.contains("whoever reaches 0.0.0.0 reaches the emulator"))
        #expect(try EmulatorScene.report(outcome).controlToken == "sesame")
    }

    @Test func `has requests go wrong as it is told`() async throws {
        let outcome = try await EmulatorScene.serve(["--fault", "GET /x status=418 nth=2"]) { port in
            let statuses = try (1...2).map { _ in try EmulatorScene.status("/push/x", port: port) }
            #expect(statuses == [401, 418])
        }
        #expect(outcome.status == 0)
    }

    private static let mistakes: [([String], String)] = [
        (["--port", "x"], "--port wants a number"), (["--tier", "gold"], "--tier wants free, basic or standard"),
        (["--write-delay", "soon"], "--write-delay wants a time"), (["--hub", "a/b"], "the hub's name is not valid"),
        (["--hub", "a", "--hub", "A"], "--hub names a hub twice"), (["more"], "nhub emulator does not know \"more\""),
        (["--hub", "a", "--import", "c=x"], "--import: there is no such hub; name it by --hub, too"),
        (["--hub", "a", "--import", "x", "--import", "A=y"], "--import names a hub twice"),
        (["--hub", "a", "--hub", "b", "--export", "b=x", "--export", "b=y"], "--export names a hub twice"),
        (["--hub", "a", "--hub", "b", "--export", "x", "--export", "b=x"], "--export names a file twice"),
        (["--hub", "a", "--import", "a="], "--import wants FILE or HUB=FILE"),
        (["--fault", "x"], "--fault: a fault has a path"),
        (["--fault", "/ stall hub=x"], "--fault: there is no such hub"),
        (["--seed", "-1"], "--seed wants a number"), (["--listen", "nowhere"], "--listen wants an address"),
        (["--listen", "192.0.2.1"], "--listen wants an address"),
        (["exec"], "the command to run"),
        (["exec", "--bogus", "--", "true"], "the option \"--bogus\" is unknown"), (["--bogus"], "is unknown"),
        (["exec", "--json", "--", "true"], "the option \"--json\" is unknown"),
    ]

    @Test(arguments: representatives(mistakes, count: 6))
    func `takes bad usage for what it is`(words: [String], message: String) async throws {
        let outcome = try await BuiltProgram(product: "nhub").run(["emulator"] + words)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("nhub: \(message)") || outcome.error.contains(message))
        #expect(outcome.error.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["FULL_KEY", "LISTEN_KEY", "CONTROL_TOKEN"])
    func `takes no secret that cannot stand in a connection string, and does not show it`(name: String) async throws {
        let variable = "NOTIFICATION_HUB_EMULATOR_\(name)"
        let outcome = try await EmulatorScene.exec(environment: [variable: "sesame;x"], "true")
        #expect(outcome.status == 2)
        #expect(outcome.error.contains("\(variable) has 1 to 256 characters"))
        #expect(!outcome.error.contains("sesame"))
    }
}
