import NotificationHubsEmulatorServer
import HubText
import HubServer
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct InstallationTests {
    static let phone =
        #"{"installationId":"phone","platform":"apns","pushChannel":"AB01","tags":["news"],"other":1.50}"#

    @Test func `puts, checks, prints and deletes an installation`() async throws {
        let server = try HubEmulator.Server(HubEmulator(hubName: "push"))
        defer { server.stop() }
        func nhub(_ words: String..., input: String = "") async throws -> BuiltProgram.Outcome {
            let outcome = try await NHubProgram.run(
                ["installation"] + words, connectionString: server.connectionString,
                expectingRedacted: server.emulator.policies[0].key, input: input)
            #expect(outcome.error.isEmpty)
            return outcome
        }
        let first = try await nhub("exists", "phone")
        #expect((first.status, first.output) == (1, "does not exist  phone\n"))

        let put = try await NHubProgram.withFile(Self.phone) { try await nhub("put", $0) }
        #expect(put.status == 0)
        #expect(put.output == "accepted  the hub will apply the put of phone, usually within seconds\n")

        let exists = try await nhub("exists", "phone", "--json")
        #expect((exists.status, exists.output) == (0, "{\"installationId\":\"phone\",\"exists\":true}\n"))

        let got = try await nhub("get", "phone")
        #expect(got.status == 0)
        #expect(got.output.contains(#""other":1.50,"#))
        #expect(try await nhub("put", "-", "--json", input: got.output).output.hasSuffix("\"accepted\":true}\n"))
        #expect(try await nhub("get", "phone").output == got.output)

        let deleted = try await nhub("delete", "phone", "--json")
        #expect(deleted.output == "{\"operation\":\"delete\",\"installationId\":\"phone\",\"accepted\":true}\n")
        #expect(server.emulator.installations.isEmpty)
    }

    @Test func `prints unknown members, and escapes terminal control characters`() async throws {
        let stored = #"{"z":[9007199254740993, null],"a":"é\u001b[2J\#u{9b}\#u{202e}","installationId":7}"#
        let (outcome, requests) = try await NHubProgram.run(
            ["installation", "get", "x"], response: NHubProgram.response(200, body: stored))
        #expect(
            outcome.output == #"{"a":"é\u001b[2J\u009b\u202e","installationId":7,"z":[9007199254740993,null]}"# + "\n")
        #expect(outcome.status == 0)
        #expect(requests.map(\.line) == ["GET /push/installations/x"])
    }

    @Test(arguments: [
        ("get", NHubProgram.error(404, "Installation not found"), 1, "nhub: no installation \"x\" (404)\n"),
        ("get", NHubProgram.response(200, body: "<html>"), 1, "the hub's response is not JSON: expected a value"),
        (
            "delete", NHubProgram.response(403), 1,
            "nhub: the hub does not allow the operation: the key's access policy lacks a right, or a"
        ),
        (
            "exists", NHubProgram.response(403), 3,
            "nhub: the hub does not allow the operation: the key's access policy lacks a right, or a"
        ),
        ("exists", NHubProgram.error(401, "40103: x"), 3, "nhub: the hub rejected the token: 40103: x (401)\n"),
    ])
    func `reports errors`(action: String, response: String, status: Int32, message: String) async throws {
        let (outcome, _) = try await NHubProgram.run(["installation", action, "x"], response: response)
        #expect(outcome.status == status)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(outcome.error.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        (
            ["--add-tag", "a", "--remove-tag=a,b", "--set-user", "zoe", "--add-tag", "c"], "",
            """
            [{"op":"add","path":"/tags","value":"a"},{"op":"remove","path":"/tags/a,b"},\
            {"op":"add","path":"/userId","value":"zoe"},{"op":"add","path":"/tags","value":"c"}]
            """
        ),
        (["--remove-user"], "", #"[{"op":"remove","path":"/userId"}]"#),
        (
            ["-", "--add-tag", "c"], #"[{"op":"replace","path":"/tags","value":["a","b"]}]"#,
            """
            [{"op":"replace","path":"/tags","value":"a"},{"op":"add","path":"/tags","value":"b"},\
            {"op":"add","path":"/tags","value":"c"}]
            """
        ),
    ])
    func `sends the operations of the input and of the options`(words: [String], input: String, body: String)
        async throws
    {
        let (outcome, requests) = try await NHubProgram.run(
            ["installation", "patch", "x", "--json"] + words, response: NHubProgram.response(200), input: input)
        #expect(outcome.output == "{\"operation\":\"patch\",\"installationId\":\"x\",\"accepted\":true}\n")
        #expect((outcome.status, outcome.error) == (0, ""))
        #expect(requests.map(\.line) == ["PATCH /push/installations/x"])
        #expect(requests.first?.headers["Content-Type"] == "application/json-patch+json")
        #expect(requests.first?.text == body)
    }

    @Test(arguments: [
        (
            ["put", "-"], "",
            "invalid installation in standard input: invalid JSON: missing value"
        ),
        (["put", "-"], "{}", "installationId: missing"),
        (["put", "-"], phone.replacing("news", with: "a,b"), "tags/0: a tag contains an invalid character"),
        (["put", "/nonexistent"], "", "cannot read the file: No such file or directory"),
        (["put", "none/devices.json"], "", "cannot read none/devices.json: No such file or directory"),
        (["put", "YWJj.ZGVm/c2VzYW1lc2VzYW1lc2VzYW1lc2VzYW1lc2VzYW1l.json"], "", "cannot read the file: No such"),
        (["put", "/"], "", "cannot read the file: Is a directory"),
        (["patch", "x", "-"], "[]", "invalid operations in standard input: the array is empty\n"),
        (
            ["patch", "x", "-"], #"[{"op":"add","path":"/tags","value":"a,b"}]"#,
            "a tag cannot contain a comma: use an array"
        ),
        (["patch", "x", "-"], #"[{"op":"add","path":"/tags","value":"a b"}]"#, "invalid character at byte 1"),
        (["patch", "x", "-", "--add-tag", "a"], "sesame", "invalid operations in standard input: invalid JSON"),
    ])
    func `rejects invalid input without sending a request`(words: [String], input: String, message: String) async throws
    {
        let (outcome, requests) = try await NHubProgram.run(
            ["installation"] + words, response: NHubProgram.response(200), input: input)
        #expect(outcome.status == 3)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(outcome.error.split(separator: "\n").count == 1)
        #expect(requests.isEmpty)
    }

    private static let mistakes: [([String], String)] = [
        ([], "missing action (allowed: get, "), (["bogus"], "unknown action: \"bogus\" (allowed: get, "),
        (["get"], "missing installation ID"), (["get", ""], "must not be empty"),
        (["get", "a/b"], "invalid character at byte 1"), (["get", "a", "b"], "unexpected argument: \"b\""),
        (["get", "a", "--bogus"], "unknown option: \"--bogus\""), (["put"], "missing installation file (or -"),
        (["put", "-", "more"], "unexpected argument"), (["patch"], "missing installation ID"),
        (["patch", "x"], "nothing to change"), (["patch", "x", "-", "y"], "unexpected argument: \"y\""),
        (["patch", "x", "--add-tag", "a,b"], "--add-tag: a tag contains an invalid character"),
        (["patch", "x", "--add-tag", ""], "--add-tag: a tag must not be empty"),
        (["patch", "x", "--remove-tag", ""], "--remove-tag: a tag must not be empty"),
        (["patch", "x", "--add-tag"], "--add-tag requires a value"),
        (["patch", "x", "--set-user", "a b"], "--set-user: a user's ID contains an invalid character"),
        (["patch", "x", "--set-user", "a", "--remove-user"], "only one of --set-user and --remove-user"),
        (
            ["patch", "x", "--set-user", "a", "--set-user", "b"],
            "only one of --set-user and --remove-user is allowed, and only once"
        ),
        (["exists", "Endpoint=sb://x/;SharedAccessKey=sesame"], "invalid character at byte 8"),
    ]

    @Test(arguments: representatives(mistakes))
    func `rejects an invalid command line`(words: [String], message: String) async throws {
        try await NHubProgram.expectUsageError(["installation"] + words, message)
    }

    @Test func `cancels the call at an interrupt, and exits with 130`() async throws {
        let server = try RawServer(steps: { _ in [.waitForClient] })
        defer { server.stop() }
        let outcome = try await NHubProgram.run(["installation", "exists", "x"], port: server.port) { process in
            while server.requests.isEmpty { Thread.sleep(forTimeInterval: 0.01) }
            process.interrupt()
        }
        #expect(outcome.status == 130)
        #expect(outcome.output.isEmpty)
    }
}
