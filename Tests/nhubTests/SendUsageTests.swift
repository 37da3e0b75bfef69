import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct SendUsageTests {
    /// Targets that must not send a message to any device.
    static let invalidTargets: [([String], String)] = [
        ([], "missing target: pass --tag"), (["--tag", ""], "--tag: a tag must not be empty"),
        (["--tag="], "--tag: a tag must not be empty"), (["--tag"], "--tag requires a value"),
        (["--tag", "--everyone"], "--tag requires a value"),
        (["--tag", "--handles", "news"], "--tag requires a value"),
        (["--tag", "a b"], "--tag: a tag contains an invalid character at byte 1"),
        (["--tags", ""], "--tags: a tag must not be empty"), (["--tags", ","], "must not be empty"),
        (["--tags", "a,,b"], "--tags: a tag must not be empty"), (["--tags", "a, b"], "invalid character at byte 0"),
        (["--tags", (1...21).map(String.init).joined(separator: ",")], "21 tags in an expression"),
        (["--expression", ""], "--expression: "), (["--expression", " "], "--expression: "),
        (["--expression", "a b"], "--expression: "),
        (["--expression", "a&&b&&c&&d&&e&&f&&g"], "7 tags in an expression (at most 20 joined only by ||, else 6)"),
        (["--installation", ""], "--installation: an installation's ID must not be empty"),
        (["--installation", "a}||b"], "invalid character at byte 1"),
        (["--user", ""], "--user: a user's ID must not be empty"), (["--user", "a} || {b"], "at byte 1"),
        (["--device", ""], "--device: a device's handle must not be empty"),
        (["--tag", "a", "--tag", "b"], "more than one target: pass several tags as --tags"),
        (["--tag", "a", "--everyone"], "more than one target: pass only --tag or --everyone"),
        (["--tag", "a", "--user", "b"], "more than one target: pass only --tag or --user"),
        (["--tag", "a", "--everyone"], "more than one"),
        (["--tag", "a", "--user", "b"], "more than one"), (["--everyone", "--device", "AB01"], "more than one"),
        (["--everyone=true"], "--everyone accepts no value"), (["--Tag", "a"], "unknown option: (redacted)"),
        (["--tag", "cafe\u{301}"], "invalid character at byte 4"),
    ]

    @Test(arguments: representatives(invalidTargets, count: 8))
    func `rejects an invalid target without sending a request`(target: [String], message: String) async throws {
        try await NHubProgram.expectUsageError(["send", "apple", "-"] + target, message, input: SendTests.alert)
        try await NHubProgram.expectUsageError(
            ["schedule", "template", "--in", "1h", "message=x"] + target,
            target.contains("--device") ? "unknown option: \"--device\"" : message)
    }

    private static let mistakes: [([String], String)] = [
        (["send"], "missing format (allowed: template, apple, "),
        (["send", "bogus"], "unknown format: \"bogus\" (allowed: template"),
        (["send", "templat"], "unknown format: \"templat\" (did you mean template?) (allowed: template"),
        (
            ["send", "apple", "--tag", "a", "message=x"],
            "expected a message file (or - for standard input); for NAME=VALUE, use the format template"
        ),
        (["send", "--tag", "a", "template", "x=1"], "missing format"),
        (["send", "template", "--tag", "a"], "missing values: pass NAME=VALUE"),
        (["send", "template", "--tag", "a", "x"], "invalid value \"x\": expected NAME=VALUE"),
        (["send", "template", "--tag", "a", "=x"], "invalid value name: expected 1 to 120 letters, digits or _"),
        (["send", "template", "--tag", "a", "a-b=x"], "invalid value name: expected 1 to 120 letters, digits or _"),
        (
            ["send", "template", "--tag", "a", "e\u{301}=x"],
            "invalid value name: expected 1 to 120 letters, digits or _"
        ),
        (["send", "template", "--tag", "a", "a=1", "A=2"], "duplicate value name (names are case-insensitive)"),
        (["send", "gcm", "--tag", "a", "--push-type", "alert", "-"], "--push-type: not supported for gcm"),
        (["send", "template", "--device", "AB01", "a=1"], "--device: not supported for template"),
        (["send", "apple", "--tag", "a"], "missing message file (or - for standard input)"),
        (["send", "apple", "--tag", "a", "-", "b"], "unexpected argument: \"b\""),
        (["send", "apple", "--tag", "a", "--raw", "-"], "--raw: not supported for apple"),
        (["send", "apple", "--tag", "a", "--priority", "7", "-"], "--priority: expected 1, 5 or 10"),
        (
            ["send", "apple", "--tag", "a", "--expires", "2030-01-01T00:00:00", "-"],
            "--expires: expected a time with its time zone"
        ),
        (["send", "apple", "--tag", "a", "--expires", "1960-01-01T00:00:00Z", "-"], "between 1970 and January 2038"),
        (["send", "apple", "--tag", "a", "--topic", "", "-"], "--topic: apns-topic: must be printable ASCII"),
        (["send", "apple", "--tag", "a", "--collapse-id", "a\nb", "-"], "--collapse-id: apns-collapse-id:"),
        (
            ["send", "apple", "--tag", "a", "--push-type", "background", "--priority", "10", "-"],
            "--priority: apns-priority: must not be 10 for a background"
        ),
        (
            ["send", "apple", "--device", "xyz", "-"],
            "--device: an Apple device token must consist of hexadecimal digits"
        ),
        (["send", "apple", "--device", "AB01", "--test", "-"], "--test cannot be combined with --device"),
        (
            ["send", "baidu", "--device", "1", "-"],
            "a Baidu push channel must be USER-CHANNEL: two IDs without hyphens"
        ),
        (["send", "browser", "--device", "https://e", "-"], "--device: not supported for browser"),
        (
            ["send", "fcmv1", "--device", "a b", "-"],
            "--device: a device's handle must be printable ASCII without spaces"
        ),
        (["schedule", "template", "--tag", "a", "x=1"], "missing time: pass --at TIME or --in SPAN"),
        (
            ["schedule", "template", "--tag", "a", "--in", "1h", "--at", "2030-01-01T00:00:00Z", "x=1"],
            "--at and --in cannot be combined"
        ),
        (["schedule", "template", "--tag", "a", "--in", "1", "x=1"], "--in: expected a duration such as"),
        (["schedule", "template", "--tag", "a", "--in", "0m", "x=1"], "--in: expected a duration such as"),
        (["schedule", "template", "--tag", "a", "--in=-5m", "x=1"], "--in: expected a duration such as"),
        (
            ["schedule", "template", "--tag", "a", "--at", "tomorrow", "x=1"],
            "--at: expected a time with its time zone"
        ),
        (
            ["schedule", "template", "--tag", "a", "--at", "2030-02-30T00:00:00Z", "x=1"],
            "--at: expected a time with its time zone"
        ),
        (
            ["schedule", "template", "--tag", "a", "--at", "2020-01-01T00:00:00Z", "x=1"],
            "--at: the time to send must be in the future"
        ),
        (["schedule", "apple", "--device", "AB01", "--in", "1h", "-"], "unknown option: \"--device\""),
        (["schedule", "template", "--tag", "a", "--in", "1h", "--test", "x=1"], "unknown option: \"--test\""),
        (["cancel"], "missing notification ID"), (["cancel", ""], "the notification ID must not be empty"),
        (["cancel", "a/b"], "at byte 1"), (["cancel", "a", "b"], "unexpected argument: \"b\""),
        (["outcome"], "missing notification ID"), (["outcome", ".."], "must not consist only of '.'"),
        (["outcome", "--wait"], "missing notification ID"),
        (["outcome", "a", "--wait=soon"], "--wait: expected a duration such as"),
        (["check", "more"], "unexpected argument: \"more\""),
    ]

    @Test(arguments: representatives(mistakes, count: 8))
    func `rejects an invalid command line without sending a request`(words: [String], message: String) async throws {
        try await NHubProgram.expectUsageError(words, message, input: SendTests.alert)
    }

    @Test(arguments: [
        ("apple", "", "invalid message in standard input: the body is not JSON"),
        ("apple", "[]", "the body must be a JSON object"), ("fcmv1", "1", "the body must be a JSON object"),
        ("gcm", "sesame", "the body is not JSON"), ("windows", "<x/>", "must be toast, tile or badge"),
        ("windows", "sesame", "the body is not valid XML at byte 0"),
        ("windowsphone", "<toast/>", "must be Notification and contain a Toast or a Tile"),
        ("adm", "{\"a\":\"" + String(repeating: "x", count: 65_536) + "\"}", "(at most 65536)"),
    ])
    func `rejects an invalid message without sending a request`(format: String, input: String, message: String)
        async throws
    {
        let (outcome, requests) = try await NHubProgram.run(
            ["send", format, "--everyone", "-"], response: SendTests.accepted, input: input)
        #expect(outcome.status == 3)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(outcome.error.split(separator: "\n").count == 1)
        #expect(requests.isEmpty)
    }

    private static let misplacedSecrets = [
        ["check"], ["installation"], ["installation", "get"], ["installation", "put"], ["installation", "patch", "x"],
        ["installation", "patch", "x", "--set-user"], ["send"], ["send", "apple", "--tag"],
        ["send", "apple", "--tags"],
        ["send", "apple", "--expression"], ["send", "apple", "--user"], ["send", "apple", "--everyone"],
        ["send", "apple", "--device"], ["schedule", "apple", "--everyone", "--in"], ["cancel"], ["outcome"],
    ]

    @Test(arguments: representatives(misplacedSecrets))
    func `redacts a misplaced secret`(words: [String]) async throws {
        let secret = NHubProgram.connectionString(port: 1)
        let (outcome, requests) = try await NHubProgram.run(words + [secret], response: SendTests.accepted)
        #expect([2, 3].contains(outcome.status))
        #expect(outcome.error.split(separator: "\n").count == 1)
        #expect(requests.isEmpty)
    }

    @Test func `rejects values whose total size is too large`() async throws {
        let value = String(repeating: "x", count: 65_536)
        try await NHubProgram.expectUsageError(["send", "template", "--tag", "a", "b=\(value)"], "(at most 65536)")
    }

    @Test(arguments: ["check", "installation", "import", "send", "schedule", "cancel", "outcome"])
    func `prints the help`(name: String) async throws {
        let outcome = try await BuiltProgram(product: "nhub").run(name, "--help")
        #expect((outcome.status, outcome.error) == (0, ""))
        #expect(outcome.output.hasPrefix("OVERVIEW: "))
        #expect(outcome.output.contains("USAGE: nhub \(name) "))
        #expect(outcome.output.contains("EXIT STATUS:"))
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.utf8.count <= 120 })
    }
}
