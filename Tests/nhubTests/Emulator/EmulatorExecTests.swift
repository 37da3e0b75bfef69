import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct EmulatorExecTests {
    @Test func `runs a command that uses the hub`() async throws {
        let tool = BuiltProgram.buildDirectory.appending(path: "nhub").path
        let template = #""templates":{"t":{"body":"{\"aps\":{\"alert\":\"$(a)\"}}"}},"tags""#
        let phone = ImportScene.line("phone").replacing("\"tags\"", with: template)
        let script = #"echo "$2" | "$1" installation put - && "$1" send template --tag tag a=b && "$1" check"#
        let outcome = try await EmulatorScene.exec(["--hub", "a"], "sh", "-c", script, "sh", tool, phone)
        #expect((outcome.status, outcome.error) == (0, ""))
        #expect(outcome.output.contains("accepted  the hub will apply the put of phone"))
    }

    @Test func `sets the connection string and the hub name for the command`() async throws {
        let script = #"echo "$NOTIFICATION_HUB_CONNECTION_STRING" "$NOTIFICATION_HUB_NAME""#
        let environment = [
            "NOTIFICATION_HUB_CONNECTION_STRING": "x", "NOTIFICATION_HUB_EMULATOR_FULL_KEY": "key",
        ]
        let outcome = try await EmulatorScene.exec(["--hub", "b"], environment: environment, "sh", "-c", script)
        let pattern = #/Endpoint=sb:\/\/127\.0\.0\.1:[0-9]+\/;SharedAccessKeyName=DefaultFullSharedAccessSignature;/#
        #expect(outcome.output.prefixMatch(of: pattern) != nil)
        #expect(outcome.output.hasSuffix("SharedAccessKey=key;UseDevelopmentEmulator=true b\n"))
    }

    @Test func `sets the connection string of the storage account for the command`() async throws {
        let outcome = try await EmulatorScene.exec(
            ["--listen", "127.0.0.1"], "printenv", "AZURE_STORAGE_CONNECTION_STRING")
        let pattern =
            #/DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=[A-Za-z0-9+\/=]{44,};BlobEndpoint=/#
        #expect(outcome.output.prefixMatch(of: pattern) != nil)
        #expect(outcome.output.hasSuffix("/devstoreaccount1\n"))
    }

    @Test(arguments: [[:], ["NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN": "sesame"]])
    func `sets the control token for the command with --listen`(environment: [String: String]) async throws {
        let outcome = try await EmulatorScene.exec(
            ["--listen", "0.0.0.0"], environment: environment, "printenv", "NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN")
        #expect(outcome.status == 0)
        let token = environment.values.first
        #expect(token.map { outcome.output == "\($0)\n" } ?? (outcome.output.utf8.count > 40))
    }

    @Test(arguments: [
        (["sh", "-c", "exit 7"], 7), (["true"], 0), (["sh", "-c", "kill -9 $$"], 137),
        (["sh", "-c", "kill -PIPE $$"], 141),
        (["no-such-command-here"], 127), (["/dev/null"], 126), (["/"], 126),
    ])
    func `exits with the command's status`(command: [String], status: Int) async throws {
        let outcome = try await BuiltProgram(product: "nhub").run(["emulator", "exec", "--"] + command)
        #expect(Int(outcome.status) == status)
        #expect(outcome.error.isEmpty == (status != 126 && status != 127))
    }

    @Test(arguments: [("TERM", SIGTERM), ("INT", SIGINT), ("HUP", SIGHUP), ("USR1", SIGUSR1)])
    func `forwards signals and writes the export`(name: String, number: Int32) async throws {
        let scene = try ImportScene([ImportScene.line("a")])
        defer { scene.remove() }
        let ready = scene.directory.appending(path: "ready").path
        let script = "trap 'exit 9' \(name); : > '\(ready)'; while :; do sleep 0.02; done"
        let outcome = try await EmulatorScene.exec(
            ["--import", scene.input.path, "--export", scene.directory.appending(path: "out.jsonl").path],
            "sh", "-c", script
        ) { process in
            Task {
                while !FileManager.default.fileExists(atPath: ready) { try await Task.sleep(for: .milliseconds(5)) }
                process.send(number)
            }
        }
        #expect(outcome.status == 9)
        #expect(scene.lines(of: "out.jsonl")?.count == 1)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `ends a command that does not handle the signal`(number: Int32) async throws {
        let scene = try ImportScene([])
        defer { scene.remove() }
        let ready = scene.directory.appending(path: "ready").path
        let outcome = try await EmulatorScene.exec([], "sh", "-c", ": > '\(ready)'; exec sleep 1000") { process in
            Task {
                while !FileManager.default.fileExists(atPath: ready) { try await Task.sleep(for: .milliseconds(5)) }
                process.send(number)
            }
        }
        #expect(outcome.status == 128 + number)
    }

    #if os(Linux)
    @Test func `starts the command without blocked signals`() async throws {
        let outcome = try await EmulatorScene.exec([], "grep", "SigBlk", "/proc/self/status")
        #expect(outcome.output == "SigBlk:\t0000000000000000\n")
    }
    #endif

    #if os(Linux)
    @Test(arguments: [("false", 1), ("true", 0)])
    func `returns the command's status when SIGCHLD was ignored`(command: String, status: Int32)
        async throws
    {
        let tool = BuiltProgram.buildDirectory.appending(path: "nhub").path
        // A shell cannot start a program with SIGCHLD ignored.
        let outcome = try await BuiltProgram(at: URL(filePath: "/usr/bin/env"))
            .run(["--ignore-signal=CHLD", tool, "emulator", "exec", "--", command])
        #expect(outcome.status == status)
    }
    #endif

    @Test func `passes arguments and variables that are not valid UTF-8`() async throws {
        let tool = BuiltProgram.buildDirectory.appending(path: "nhub").path
        let script = #"""
            X=$(printf '\377'); export X
            exec "$1" emulator exec -- sh -c 'printf %s "$X$1" | od -An -tx1' sh "$X"
            """#
        let outcome = try await BuiltProgram(at: URL(filePath: "/bin/sh")).run(["-c", script, "sh", tool])
        #expect(outcome.output == " ff ff\n")
    }

    @Test func `prints only the command's output`() async throws {
        #expect(try await EmulatorScene.exec([], "echo", "-n", "x").output == "x")
    }
}
