import HubServer
import Foundation
import HubTestSupport
import NotificationHubsEmulator
import Testing

@testable import nhub

@Suite(.timeLimit(.minutes(30))) struct EmulatorTests {
    @Test func `prints the hubs and their connection strings, and exits with 0 when it is terminated`() async throws {
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
        #expect(Set(strings).count == 2, "the development keys are the same for all hubs")
        let names = ["DefaultFullSharedAccessSignature", "DefaultListenSharedAccessSignature"]
        for (string, name) in zip(strings, names + names) {
            let start = "Endpoint=sb://127.0.0.1:\(report.port)/;SharedAccessKeyName=\(name);SharedAccessKey="
            #expect(string.hasPrefix(start) && string.hasSuffix(";UseDevelopmentEmulator=true"))
        }
    }

    @Test func `prints text without --json`() async throws {
        let keys = [
            "NOTIFICATION_HUB_EMULATOR_FULL_KEY": "full=", "NOTIFICATION_HUB_EMULATOR_LISTEN_KEY": "listen=",
            "NOTIFICATION_HUB_EMULATOR_STORAGE_KEY": "c3RvcmFnZQ==",
        ]
        let outcome = try await EmulatorScene.serve([], environment: keys) { _ in }
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 6)
        #expect(lines.first == "Emulated hub \"push\", standard tier:")
        #expect(outcome.output.contains("SharedAccessKey=full=;"))
        #expect(outcome.output.contains("SharedAccessKey=listen=;"))
        #expect(outcome.output.contains("AccountName=devstoreaccount1;AccountKey=c3RvcmFnZQ==;BlobEndpoint=http://"))
        #expect(lines.last?.hasSuffix("/$emulator/") == true)
    }

    @Test(arguments: [
        (["--log"], [#" GET /push/installations/a 401 [0-9]+\.[0-9] ms: 40102: "#, " GET /push/jobs reset "]),
        (
            ["--log", "--json"],
            [
                #""method":"GET","path":"/push/installations/a","status":401,"milliseconds":[0-9.]+,"cause":"40102: [^"]+"\}"#,
                #""path":"/push/jobs","milliseconds""#,
            ]
        ),
    ])
    func `logs requests to hubs without their queries`(words: [String], patterns: [String]) async throws {
        let outcome = try await EmulatorScene.serve(words + ["--fault", "/jobs reset=before"]) { port in
            let rejected = try EmulatorScene.status("/push/installations/a?api-version=2020-06", port: port)
            _ = try? EmulatorScene.status("/push/jobs", port: port)
            let healthy = try EmulatorScene.status("/$emulator/health", port: port)
            #expect((rejected, healthy) == (401, 200))
        }
        #expect((outcome.status, outcome.error) == (0, ""))
        for pattern in patterns {
            let regex = try Regex(pattern)
            #expect(outcome.output.contains(regex), "\(outcome.output)")
        }
        #expect(!outcome.output.contains("health") && !outcome.output.contains("api-version"))
    }

    @Test(arguments: [
        ([], nil, 421), (["--listen", "127.0.0.1"], "c3dpZnQtbm90aWZpY2F0aW9uLWh1YnMgZW11bGF0b3I=", 421),
        (["--listen", "127.0.0.1"], "own", 401),
    ])
    func `rejects requests to hubs by a public name if a key is a development key, which is public`(
        options: [String], key: String?, expected: Int
    ) async throws {
        let variables = key.map { ["NOTIFICATION_HUB_EMULATOR_FULL_KEY": $0] } ?? [:]
        let outcome = try await EmulatorScene.serve(options, environment: variables) { port in
            for (name, status) in [("evil.example", expected), ("host.docker.internal", 401)] {
                let client = try RawClient(port: port)
                client.send("GET /push/registrations HTTP/1.1\r\nHost: \(name):\(port)\r\n\r\n")
                let actual = try client.readResponse().status
                #expect(actual == status, "\(name)")
            }
        }
        #expect(outcome.status == 0)
    }

    @Test func `logs deliveries`() async throws {
        let scene = try ImportScene([ImportScene.line("phone")])
        defer { scene.remove() }
        let outcome = try await EmulatorScene.serve(["--log", "--json", "--import", scene.input.path]) { port in
            let client = try RawClient(port: port)
            let body = #"{"format":"apple","body":"{}","everyone":true}"#
            client.send(
                "POST /$emulator/send HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            let status = try client.readResponse().status
            #expect(status == 200)
        }
        #expect(outcome.status == 0)
        let member = #""delivery":1,"hub":"push","platform":"apns","installationId":"phone","byteCount":2"#
        #expect(outcome.output.contains(member), "\(outcome.output)")
    }

    @Test func `uses random keys beyond loopback`() async throws {
        let outcome = try await EmulatorScene.serve(["--json", "--listen", "127.0.0.1", "--hub", "a", "--hub", "b"]) {
            _ in
        }
        let strings = try EmulatorScene.report(outcome).hubs.flatMap {
            [$0.connectionString, $0.listenConnectionString]
        }
        #expect(Set(strings).count == 4)
    }

    @Test func `rejects a storage key that is not Base64`() async throws {
        let outcome = try await BuiltProgram(product: "nhub").run(
            ["emulator", "--port", "0"], environment: ["NOTIFICATION_HUB_EMULATOR_STORAGE_KEY": "secret!"])
        #expect(outcome.status == 2 && outcome.error.contains("NOTIFICATION_HUB_EMULATOR_STORAGE_KEY: "))
        #expect(!outcome.error.contains("secret!"))
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func `fails if the connection strings cannot be written`() async throws {
        let outcome = try await BuiltProgram(product: "nhub").run([
            "emulator", "exec", "--", "sh", "-c", "exec \"$0\" emulator --port 0 > /dev/full",
            BuiltProgram(product: "nhub").url.path,
        ])
        #expect(outcome.status == 3)
    }

    @Test func `imports and exports installations`() async throws {
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
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scene.directory.path).count == 2,
            "a temporary file remains")

        // The export can be imported.
        let again = ["--import", export.path, "--export", export.path]
        #expect(try await EmulatorScene.serve(again) { _ in }.status == 0)
        #expect(scene.lines(of: "export.jsonl") == lines)
    }

    @Test func `imports and exports a file for each hub`() async throws {
        let scene = try ImportScene([ImportScene.line("a1")])
        defer { scene.remove() }
        // A path with an equals sign must not be taken for a hub name.
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

    @Test func `exports the other hubs if one export fails`() async throws {
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
        #expect(outcome.error == "nhub: a: cannot write the export: No such file or directory\n")
        #expect(scene.lines(of: "b") == [])
    }

    @Test func `exports accepted writes that are still delayed`() async throws {
        let scene = try ImportScene([])
        defer { scene.remove() }
        let tool = BuiltProgram.buildDirectory.appending(path: "nhub").path
        let outcome = try await EmulatorScene.exec(
            ["--write-delay", "1m", "--export", scene.directory.appending(path: "out.jsonl").path],
            "sh", "-c", #"echo "$2" | "$1" installation put -"#, "sh", tool, ImportScene.line("phone"))
        #expect(outcome.status == 0)
        #expect(scene.lines(of: "out.jsonl")?.count == 1)
    }

    @Test(.timeLimit(.minutes(30))) func `stops the import of an endless file when the task is cancelled`() async throws
    {
        let reading = Task { try InstallationFile.read("/dev/zero", into: HubEmulator(), mayBeMissing: false) }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test(arguments: [
        ("512", false), ("0M", false), ("1023K", false), ("1024K", true), ("1025G", false), ("-1G", false),
        ("2g", true), ("G", false), ("99999999999999999999G", false),
    ])
    func `accepts a memory limit from 1 MiB to 1 TiB`(size: String, isValid: Bool) async throws {
        let outcome = try await EmulatorScene.exec(["--max-memory", size], "true")
        #expect(outcome.status == (isValid ? 0 : 2))
        #expect(outcome.error.contains("--max-memory: expected a size from 1M to 1024G") != isValid)
    }

    @Test func `refuses writes above the memory limit`() async throws {
        let scene = try ImportScene((1...1000).map { ImportScene.line("\($0)") })
        defer { scene.remove() }
        let outcome = try await EmulatorScene.exec(["--max-memory", "1M", "--import", scene.input.path], "true")
        #expect(outcome.status == 3)
        #expect(outcome.error.contains("exceeds its limit of 1048576 bytes"))
    }

    @Test func `starts empty if the export file does not exist yet`() async throws {
        let scene = try ImportScene([])
        defer { scene.remove() }
        let path = scene.directory.appending(path: "new.jsonl").path
        #expect(try await EmulatorScene.serve(["--import", path, "--export", path]) { _ in }.status == 0)
        #expect(scene.lines(of: "new.jsonl") == [])
    }

    @Test func `stops the import when the task is cancelled`() async throws {
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
        ([#"{"installationId":"a"}"#], ["--import", "INPUT"], "invalid import at line 1: "),
        (["", "x"], ["--import", "INPUT"], "invalid import at line 2: invalid JSON"),
        ([], ["--import", "INPUT.not"], "cannot read the import: No such file or directory"),
        ([], ["--export", "INPUT/x"], "cannot write the export: Not a directory"),
        (
            ["x"], ["--hub", "a", "--hub", "b", "--import", "b=INPUT"],
            "b: invalid import at line 1: invalid JSON"
        ),
        (
            [], ["--hub", "a", "--hub", "b", "--export", "b=INPUT/x"],
            "b: cannot write the export: Not a directory"
        ),
    ])
    func `rejects invalid import and export files`(lines: [String], options: [String], message: String)
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

    @Test(.enabled(if: LibSSL.isAvailable), arguments: [[], ["--tls"]])
    func `checks the health of an emulator`(options: [String]) async throws {
        let data = FileManager.default.temporaryDirectory.appending(path: "nhub-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: data) }
        let script = """
            url=${NOTIFICATION_HUB_CONNECTION_STRING#Endpoint=sb:}; url=http$1:${url%%;*}
            "$0" emulator health "$url" && ! "$0" emulator health http$2:${url#*:}
            """
        let schemes = options.isEmpty ? ["", "s"] : ["s", ""]
        let outcome = try await EmulatorScene.exec(
            options, environment: ["XDG_DATA_HOME": data.path], "sh", "-c", script,
            BuiltProgram(product: "nhub").url.path, schemes[0], schemes[1])
        #expect((outcome.status, outcome.output) == (0, ""))
        #expect(outcome.error.hasPrefix("nhub: ") && outcome.error.split(separator: "\n").count == 1)
    }

    @Test func `rejects a second URL of health`() async throws {
        let outcome = try await BuiltProgram(product: "nhub").run("emulator", "health", "http://localhost:1", "more")
        #expect((outcome.status, outcome.error) == (2, "nhub: unexpected argument: \"more\"\n"))
    }

    @Test func `requires the control token with --listen, and warns`() async throws {
        let environment = ["NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN": "sesame"]
        let outcome = try await EmulatorScene.serve(["--listen", "0.0.0.0", "--json"], environment: environment) {
            port in
            let statuses = try [nil, "other", "sesame"].map {
                try EmulatorScene.status("/$emulator/hubs", port: port, token: $0)
            }
            #expect(statuses == [401, 401, 200])
        }
        #expect(outcome.status == 0)
        #expect(outcome.error.contains("warning: any machine that can reach 0.0.0.0 can connect"))
        #expect(try EmulatorScene.report(outcome).controlToken == "sesame")
    }

    @Test func `injects faults`() async throws {
        let outcome = try await EmulatorScene.serve(["--fault", "GET /x status=418 nth=2"]) { port in
            let statuses = try (1...2).map { _ in try EmulatorScene.status("/push/x", port: port) }
            #expect(statuses == [401, 418])
        }
        #expect(outcome.status == 0)
    }

    private static let mistakes: [([String], String)] = [
        (["--port", "x"], "--port: expected a number"),
        (["--tier", "gold"], "--tier: expected free, basic or standard"),
        (["--write-delay", "soon"], "--write-delay: expected a duration"),
        (["--hub", "a/b"], "--hub: invalid character"),
        (["--hub", "a", "--hub", "A"], "--hub: duplicate hub name"),
        (["more"], "unknown action: \"more\" (allowed: exec, env, health, ca)"),
        (["--hub", "a", "--import", "c=x"], "--import: unknown hub; add it with --hub"),
        (["--hub", "a", "--import", "x", "--import", "A=y"], "--import: given more than once for a hub"),
        (
            ["--hub", "a", "--hub", "b", "--export", "b=x", "--export", "b=y"],
            "--export: given more than once for a hub"
        ),
        (
            ["--hub", "a", "--hub", "b", "--export", "x", "--export", "b=x"],
            "--export: each file can be given only once"
        ),
        (["--hub", "a", "--import", "a="], "--import: expected FILE or HUB=FILE"),
        (["--fault", "x"], "--fault: missing path"),
        (["--fault", "/ stall hub=x"], "--fault: unknown hub; add it with --hub"),
        (["--seed", "-1"], "--seed: expected a number"),
        (["--listen", "nowhere"], "--listen: expected a numeric IPv4 or IPv6 address"),
        (["--listen", "192.0.2.1"], "--listen: expected a numeric IPv4 or IPv6 address"),
        (["exec"], "missing command"),
        (["exec", "--bogus", "--", "true"], "unknown option: \"--bogus\""), (["--bogus"], "unknown option"),
        (["exec", "--jsno", "--", "true"], "unknown option: \"--jsno\""),
    ]

    @Test(arguments: representatives(mistakes, count: 6))
    func `rejects an invalid command line`(words: [String], message: String) async throws {
        let outcome = try await BuiltProgram(product: "nhub").run(["emulator"] + words)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("nhub: \(message)") || outcome.error.contains(message))
        #expect(outcome.error.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["FULL_KEY", "LISTEN_KEY", "CONTROL_TOKEN"])
    func `rejects a secret that is invalid in a connection string, and redacts it`(name: String) async throws {
        let variable = "NOTIFICATION_HUB_EMULATOR_\(name)"
        let outcome = try await EmulatorScene.exec(environment: [variable: "sesame;x"], "true")
        #expect(outcome.status == 2)
        #expect(outcome.error.contains("\(variable): expected 1 to 256 printable ASCII characters"))
        #expect(!outcome.error.contains("sesame"))
    }
}
