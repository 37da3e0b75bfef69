import NotificationHubsEmulatorServer
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct UsageTests {
    let nhub = BuiltProgram(product: "nhub")

    @Test(arguments: [["--help"], ["-h"], ["help"], ["help", "--help"]])
    func `prints the overview`(words: [String]) async throws {
        let outcome = try await nhub.run(words)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("USAGE: nhub <subcommand>"))
        #expect(outcome.error.isEmpty)
    }

    @Test func `prints a subcommand's help for --help and for help`() async throws {
        let first = try await nhub.run("demo", "--help")
        let second = try await nhub.run("help", "demo")
        #expect(first.output == second.output)
        #expect(first.output.contains("--live"))
        #expect(first.status == 0)
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: ["--version", "--help", "help", "send --help"])
    func `exits with 3 if the output cannot be written`(words: String) async throws {
        let path = BuiltProgram.buildDirectory.appending(path: "nhub").path
        let outcome = try await BuiltProgram(at: URL(filePath: "/bin/sh")).run("-c", "'\(path)' \(words) >/dev/full")
        #expect(outcome.status == 3)
        #expect(outcome.error == "nhub: cannot write to standard output: No space left on device\n")
    }

    @Test func `reports a closed output stream`() async throws {
        let path = BuiltProgram.buildDirectory.appending(path: "nhub").path
        let check = try await BuiltProgram(at: URL(filePath: "/bin/sh")).run(
            ["-c", "'\(path)' check <&- >&-"],
            environment: [
                "NOTIFICATION_HUB_CONNECTION_STRING": Self.connectionString, "NOTIFICATION_HUB_NAME": "push",
            ])
        #expect(check.status == 3)
        #expect(check.error == "nhub: cannot write to standard output: Bad file descriptor\n")
    }

    @Test(arguments: ["--version", "-V"]) func `prints its version`(option: String) async throws {
        #expect(try await nhub.run(option).output == "nhub \(BuiltProgram.version)\n")
    }

    @Test(arguments: [
        ([], "missing subcommand (see nhub --help)"), (["bogus"], "unknown subcommand: \"bogus\""),
        (["--bogus"], "unknown option: \"--bogus\""), (["help", "bogus"], "unknown subcommand: \"bogus\""),
        (["demo", "--bogus"], "unknown option: \"--bogus\""),
        (["demo", "--lvie"], "unknown option: \"--lvie\" (did you mean --live?)"),
        (["chekc"], "unknown subcommand: \"chekc\" (did you mean check?)"),
        (["demo", "--live=1"], "--live accepts no value"),
        (["demo", "more"], "unknown demo: \"more\" (allowed: notify-users"),
        (["demo", "notify-users", "more"], "unexpected argument: \"more\""),
        (["demo", "--port"], "--port requires a value"), (["demo", "--port", "x"], "--port: expected a number"),
        (["demo", "--port", "65536"], "--port: expected a number"),
        (["demo", "--hub", "a/b"], "--hub: invalid character in a hub's name"),
        (["demo", "--port", "+80"], "--port: expected a number"),
        (["demo", "--live", "--port", "1"], "--live cannot be combined with --port"),
        (["demo", "--ca-file", "a"], "--ca-file requires --live"),
        (["demo", "--profile", "a"], "--profile requires --live"),
        (["a\nb"], "unknown subcommand: (redacted)"),
        (["demo", "--hub", "a\nb"], "invalid character in a hub's name at byte 1"),
        (["demo", "--live"], "NOTIFICATION_HUB_CONNECTION_STRING is not set"),
    ])
    func `rejects an invalid command line with one line`(words: [String], message: String) async throws {
        let outcome = try await nhub.run(
            words, environment: ["NOTIFICATION_HUB_CONNECTION_STRING": "", "XDG_CONFIG_HOME": "/nowhere"])
        expectUsageError(outcome, message)
    }

    static let connectionString =
        "Endpoint=sb://127.0.0.1:1/;SharedAccessKeyName=rule;SharedAccessKey=sesame;UseDevelopmentEmulator=true"

    @Test(arguments: [
        ("Endpoint=sb://127.0.0.1/;SharedAccessKeyName=rule", "push", "has no SharedAccessKey"),
        ("sesame", "push", "expected NAME=VALUE"),
        (connectionString, "a/b", "NOTIFICATION_HUB_NAME: invalid character"),
        (connectionString, "", "missing hub name: set NOTIFICATION_HUB_NAME"),
        (connectionString + ";EntityPath=other", "push", "the connection string's EntityPath does not match"),
    ])
    func `rejects invalid settings and redacts the key`(
        connectionString: String, hubName: String, message: String
    ) async throws {
        let outcome = try await nhub.run(
            ["demo", "--live"],
            environment: ["NOTIFICATION_HUB_CONNECTION_STRING": connectionString, "NOTIFICATION_HUB_NAME": hubName])
        expectUsageError(outcome, message)
        #expect(!outcome.error.contains("sesame"))
    }

    @Test(arguments: [
        [connectionString], ["help", connectionString], ["demo", connectionString],
        ["demo", "--hub", connectionString],
        ["demo", "--port", connectionString], ["demo", "--live", connectionString], ["--" + connectionString],
        ["sesame-key="],
    ])
    func `redacts a misplaced secret`(words: [String]) async throws {
        let outcome = try await nhub.run(words)
        #expect(outcome.status == 2)
        #expect(!outcome.error.contains("sesame"))
    }

    @Test func `reports that a port is in use`() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "x"))
        defer { server.stop() }
        expectUsageError(
            try await nhub.run("demo", "--port", "\(server.port)"),
            "cannot listen on 127.0.0.1:\(server.port): Address already in use")
    }

    private func expectUsageError(_ outcome: BuiltProgram.Outcome, _ message: String) {
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("nhub: "))
        #expect(outcome.error.contains(message))
        #expect(outcome.error.split(separator: "\n").count == 1)
    }
}
