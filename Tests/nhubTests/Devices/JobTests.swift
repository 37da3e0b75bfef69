import NotificationHubsEmulatorServer
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct JobTests {
    private static let registrations = [
        Registration(pushChannel: .apple(deviceToken: [0xab]), tags: ["news", "old"]),
        Registration(
            pushChannel: .gcm(registrationID: "token <1>"),
            template: .init(body: "{\"data\":{\"message\":\"$(message)\"}}\n", name: "t")),
    ]

    /// A hub with two registrations, and a container of its storage.
    private struct JobScene {
        let devices: DeviceScene
        let container: HubEmulator.Container
        private let secret: String

        init(_ registrations: [Registration] = JobTests.registrations) async throws {
            devices = try await DeviceScene([], registrations)
            let url = devices.counting.server.url.dropLast()
            container = try devices.emulator.makeContainer(named: "jobs", at: String(url))
            secret = try #require(container.url.rawValue.split(separator: "=").last.map(String.init))
            try devices.write(container.url.rawValue + "\n", to: "container.url")
        }

        /// Runs `nhub job` with the container, whose secret must not be printed.
        func run(_ action: String, _ words: String...) async throws -> BuiltProgram.Outcome {
            let outcome = try await devices.shell(
                "exec \"$0\" job \"$@\"", [action, "--container-url-env", "JOBS"] + words,
                environment: ["JOBS": container.url.rawValue])
            #expect(!(outcome.output + outcome.error).contains(secret))
            return outcome
        }

        /// The blob of the job with an ID.
        func output(of job: Int) -> String? {
            container.read("push/\(job)/Output.txt").map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test func `downloads the exported registrations`() async throws {
        let scene = try await JobScene()
        defer { scene.devices.remove() }
        let outcome = try await scene.run("export", "--output", "all.xml", "--json")
        #expect(outcome.status == 0)
        #expect(outcome.values(of: "status") == ["Completed"])
        #expect(outcome.values(of: "outputFilePath") == ["jobs//push/1/Output.txt"])
        let text = try #require(scene.output(of: 1))
        #expect(try BuiltProgram.text(of: scene.devices.directory.appending(path: "all.xml")) == text)
        #expect(text.split(separator: "\n").count == 2)
        let attributes = try FileManager.default.attributesOfItem(atPath: scene.devices.path("all.xml"))
        #expect(attributes[.posixPermissions] as? Int == 0o600, "the file contains devices' handles")
    }

    @Test func `submits a job without waiting for its end`() async throws {
        let scene = try await JobScene()
        defer { scene.devices.remove() }
        let outcome = try await scene.run("export")
        #expect(outcome.status == 0 && outcome.output.contains("Started") && outcome.error.isEmpty)
        let waited = try await scene.devices.run("job", "wait", "1")
        #expect(waited.status == 0 && waited.output.contains("Completed"))
        #expect(waited.error == "nhub: job 1: ExportRegistrations, Completed, 100 %\n")
    }

    @Test func `reads the container's URL from a file`() async throws {
        let scene = try await JobScene()
        defer { scene.devices.remove() }
        let outcome = try await scene.devices.run("job", "export", "--container-url-file", "container.url", "--wait")
        #expect(outcome.status == 0 && scene.output(of: 1) != nil)
    }

    @Test func `resumes waiting after the command was killed`() async throws {
        let scene = try await JobScene()
        defer { scene.devices.remove() }
        let killed = try await scene.devices.runKilled(
            "job", "export", "--container-url-file", "container.url", "--output", "all.xml", after: 1)
        #expect(killed.status == SIGKILL)
        let list = try await scene.devices.run("job", "list")
        #expect(list.values(of: "jobId") == ["1"])
        let resumed = try await scene.run("wait", "1", "--output", "all.xml")
        #expect(resumed.status == 0)
        #expect(scene.devices.lines(of: "all.xml")?.count == 2)
    }

    @Test(arguments: [
        ("import", "ImportCreateRegistrations"), ("update", "ImportUpdateRegistrations"),
        ("upsert", "ImportUpsertRegistrations"), ("delete", "ImportDeleteRegistrations"),
    ])
    func `submits a job that reads a file of the container`(action: String, type: String) async throws {
        let scene = try await JobScene()
        defer { scene.devices.remove() }
        #expect(try await scene.run("export", "--wait").status == 0)
        let exported = try #require(scene.container.read("push/1/Output.txt"))
        try scene.container.write(exported, to: "in/all ä.xml")
        let outcome = try await scene.run(action, "--input", "in/all ä.xml", "--failures", "failed.txt", "--json")
        #expect(outcome.values(of: "type") == [type])
        // The registrations exist, so only their creation fails.
        #expect(outcome.status == (action == "import" ? 1 : 0))
        #expect(scene.devices.lines(of: "failed.txt")?.count == (action == "import" ? 2 : 0))
        #expect(try await scene.devices.otherRegistrations().count == (action == "delete" ? 0 : 2))
    }

    @Test func `fails if lines of a job failed`() async throws {
        let scene = try await JobScene([])
        defer { scene.devices.remove() }
        try scene.container.write("nonsense\n".utf8, to: "in.xml")
        let outcome = try await scene.run("import", "--input", "in.xml", "--wait")
        #expect(outcome.status == 1)
        let size = try #require(scene.container.read("push/1/Failed.txt")).count
        #expect(outcome.output.contains("failed lines  \(size) bytes in jobs//push/1/Failed.txt\n"))
    }

    @Test func `fails if a job failed`() async throws {
        let scene = try await JobScene()
        defer { scene.devices.remove() }
        let outcome = try await scene.run("upsert", "--input", "missing.xml", "--wait")
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("failure   blob not found in the container\n"))
        let got = try await scene.devices.run("job", "get", "1")
        #expect(got.status == 1 && got.output.contains("Failed"))
    }

    @Test func `reports a missing job by its ID`() async throws {
        let scene = try await JobScene()
        defer { scene.devices.remove() }
        for action in ["get", "wait"] {
            let outcome = try await scene.devices.run("job", action, "7")
            #expect(outcome.status == 1 && outcome.error.hasPrefix("nhub: no job \"7\" (404)"))
        }
    }

    @Test(arguments: [
        ([], "missing action (allowed: export, import"),
        (["export"], "missing container: pass --container-url-env or --container-url-file"),
        (["wait", "1", "--output", "f"], "missing container"),
        (["import", "--container-url-file", "container.url"], "missing --input"),
        (
            ["export", "--container-url-file", "container.url", "--input", "x"],
            "the action export does not accept --input"
        ),
        (
            ["export", "--container-url-file", "container.url", "--failures", "x"],
            "the action export does not accept --failures"
        ),
        (["get", "1", "--wait"], "the action get does not accept --wait"), (["get"], "missing job ID"),
        (["list", "--container-url-file", "container.url"], "the action list does not accept a container"),
        (["upsert", "--container-url-file", "container.url", "--input", "../x"], "--input: the blob's name must not"),
        (
            ["export", "--container-url-file", "container.url", "--output", "container.url"],
            "--output: the file exists"
        ),
        (["export", "--container-url-file", "container.url", "--output", "no/f"], "--output: "),
        (
            ["export", "--container-url-file", "container.url", "--output", "-"],
            "--output: expected the path of a file"
        ),
        (["export", "--container-url-file", "container.url", "--output", ""], "--output: expected the path of a file"),
        (
            ["wait", "1", "--container-url-file", "container.url", "--output", "f", "--failures", "./f"],
            "--output and --failures must be different files"
        ),
        (["export", "--container-url-env", "NO_SUCH"], "--container-url-env: environment variable NO_SUCH is not set"),
        (["get", "a/b"], "invalid ID: a job's ID contains an invalid character"),
    ])
    func `rejects an invalid command line before anything is sent`(words: [String], message: String) async throws {
        let scene = try await JobScene([])
        defer { scene.devices.remove() }
        let count = scene.devices.counting.requestCount
        let outcome = try await scene.devices.shell("exec \"$0\" job \"$@\"", words)
        #expect(outcome.status == 2)
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(scene.devices.counting.requestCount == count)
    }
}
