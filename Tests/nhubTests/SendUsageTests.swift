import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct SendUsageTests {
    /// What must never become a message to everyone, or to anybody.
    static let badTargets: [([String], String)] = [
        ([], "a target is missing"), (["--tag", ""], "--tag: a tag must not be empty"),
        (["--tag="], "--tag: a tag must not be empty"), (["--tag"], "--tag needs a value"),
        (["--tag", "--everyone"], "--tag needs a value"), (["--tag", "--json", "news"], "--tag needs a value"),
        (["--tag", "a b"], "something else is at byte 1"),
        (["--tags", ""], "--tags: a tag must not be empty"), (["--tags", ","], "must not be empty"),
        (["--tags", "a,,b"], "one character at least"), (["--tags", "a, b"], "something else is at byte 0"),
        (["--tags", (1...21).map(String.init).joined(separator: ",")], "21 tags in an expression"),
        (["--expression", ""], "--expression: "), (["--expression", " "], "--expression: "),
        (["--expression", "a b"], "--expression: "),
        (["--expression", "a&&b&&c&&d&&e&&f&&g"], "7 tags in an expression (at most 20 joined only by ||, else 6)"),
        (["--installation", ""], "--installation: an installation's id must not be empty"),
        (["--installation", "a}||b"], "something else is at byte 1"),
        (["--user", ""], "--user: a user's id must not be empty"), (["--user", "a} || {b"], "at byte 1"),
        (["--device", ""], "--device: a device's handle has one character at least"),
        (["--tag", "a", "--tag", "b"], "there is more than one target"),
        (["--tag", "a", "--everyone"], "more than one"),
        (["--tag", "a", "--user", "b"], "more than one"), (["--everyone", "--device", "AB01"], "more than one"),
        (["--everyone=true"], "a target is missing"), (["--Tag", "a"], "a target is missing"),
        (["--tag", "cafe\u{301}"], "invalid character at byte 4"),
    ]

    @Test(arguments: representatives(badTargets, count: 8))
    func `sends nothing to a target that is none`(target: [String], message: String) async throws {
        try await NHubProgram.expectUsageError(["send", "apple", "-"] + target, message, input: SendTests.alert)
        try await NHubProgram.expectUsageError(
            ["schedule", "template", "--in", "1h", "message=x"] + target, message)
    }

    private static let mistakes: [([String], String)] = [
        (["send"], "the format is missing: one of template, apple, "),
        (["send", "bogus"], "the format \"bogus\" is unknown: it is one of template"),
        (["send", "--tag", "a", "template", "x=1"], "the format is missing"),
        (["send", "template", "--tag", "a"], "the values are missing"),
        (["send", "template", "--tag", "a", "x"], "the argument \"x\" is no name=value"),
        (["send", "template", "--tag", "a", "=x"], "a value's name has letters, digits and _ only"),
        (["send", "template", "--tag", "a", "a-b=x"], "a value's name has letters, digits and _ only"),
        (["send", "template", "--tag", "a", "e\u{301}=x"], "a value's name has letters, digits and _ only"),
        (["send", "template", "--tag", "a", "a=1", "A=2"], "a value's name is there twice"),
        (["send", "template", "--tag", "a", "--push-type", "alert", "a=1"], "the option \"--push-type\" is unknown"),
        (["send", "template", "--device", "AB01", "a=1"], "--device: a template message has no platform"),
        (["send", "apple", "--tag", "a"], "the message's file, or - for standard input, is missing"),
        (["send", "apple", "--tag", "a", "-", "b"], "the argument \"b\" is one too many"),
        (["send", "apple", "--tag", "a", "--raw", "-"], "the option \"--raw\" is unknown"),
        (["send", "apple", "--tag", "a", "--priority", "7", "-"], "--priority is 1, 5 or 10"),
        (["send", "apple", "--tag", "a", "--expires", "2030-01-01T00:00:00", "-"], "a time with its zone"),
        (["send", "apple", "--tag", "a", "--expires", "1960-01-01T00:00:00Z", "-"], "between 1970 and January 2038"),
        (["send", "apple", "--tag", "a", "--topic", "", "-"], "apns-topic is empty"),
        (["send", "apple", "--tag", "a", "--collapse-id", "a\nb", "-"], "apns-collapse-id: must be printable ASCII"),
        (["send", "apple", "--tag", "a", "--push-type", "background", "--priority", "10", "-"], "no background"),
        (["send", "apple", "--device", "xyz", "-"], "--device: an Apple device's token is hexadecimal digits"),
        (["send", "apple", "--device", "AB01", "--test", "-"], "--test is not for --device"),
        (["send", "baidu", "--device", "1", "-"], "a user's id, a hyphen and a channel's id"),
        (["send", "browser", "--device", "https://e", "-"], "a browser's keys are a secret"),
        (
            ["send", "fcmv1", "--device", "a b", "-"],
            "--device: a device's handle must be printable ASCII without spaces"
        ),
        (["schedule", "template", "--tag", "a", "x=1"], "the time is missing: --at TIME or --in SPAN"),
        (
            ["schedule", "template", "--tag", "a", "--in", "1h", "--at", "2030-01-01T00:00:00Z", "x=1"],
            "not go together"
        ),
        (["schedule", "template", "--tag", "a", "--in", "1", "x=1"], "--in wants a time span such as"),
        (["schedule", "template", "--tag", "a", "--in", "0m", "x=1"], "--in wants a time span such as"),
        (["schedule", "template", "--tag", "a", "--in=-5m", "x=1"], "--in wants a time span such as"),
        (["schedule", "template", "--tag", "a", "--at", "tomorrow", "x=1"], "--at wants a time with its zone"),
        (
            ["schedule", "template", "--tag", "a", "--at", "2030-02-30T00:00:00Z", "x=1"],
            "--at wants a time with its zone"
        ),
        (["schedule", "template", "--tag", "a", "--at", "2020-01-01T00:00:00Z", "x=1"], "the time to send is past"),
        (["schedule", "apple", "--device", "AB01", "--in", "1h", "-"], "--device is for nhub send alone"),
        (["schedule", "template", "--tag", "a", "--in", "1h", "--test", "x=1"], "--test is for nhub send alone"),
        (["cancel"], "the notification's id is missing"), (["cancel", ""], "the notification's id is empty"),
        (["cancel", "a/b"], "at byte 1"), (["cancel", "a", "b"], "the argument \"b\" is one too many"),
        (["outcome"], "the notification's id is missing"), (["outcome", ".."], "more than full stops"),
        (["outcome", "--wait"], "the notification's id is missing"),
        (["outcome", "a", "--wait=soon"], "--wait wants a time span such as"),
        (["check", "more"], "the argument \"more\" is one too many"),
    ]

    @Test(arguments: representatives(mistakes, count: 8))
    func `takes bad usage for what it is, and sends nothing`(words: [String], message: String) async throws {
        try await NHubProgram.expectUsageError(words, message, input: SendTests.alert)
    }

    @Test(arguments: [
        ("apple", "", "standard input does not have a message that can be sent: the body is not JSON"),
        ("apple", "[]", "the body must be a JSON object"), ("fcmv1", #"{"message":1}"#, "message: expected an object"),
        ("gcm", "sesame", "the body is not JSON"), ("windows", "<x/>", "must be toast, tile or badge"),
        ("windows", "sesame", "the body is not XML from byte 0 on"),
        ("windowsphone", "<toast/>", "must be Notification and contain a Toast or a Tile"),
        ("adm", "{\"a\":\"" + String(repeating: "x", count: 65_536) + "\"}", "(at most 65536)"),
    ])
    func `refuses a message that is none, and sends nothing`(format: String, input: String, message: String)
        async throws
    {
        let (outcome, requests) = try await NHubProgram.run(
            ["send", format, "--everyone", "-"], answer: SendTests.taken, input: input)
        #expect(outcome.status == 3)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.contains(message), "\(outcome.error)")
        #expect(outcome.error.split(separator: "\n").count == 1)
        #expect(requests.isEmpty)
    }

    private static let wrongPlaces = [
        ["check"], ["installation"], ["installation", "get"], ["installation", "put"], ["installation", "patch", "x"],
        ["installation", "patch", "x", "--set-user"], ["send"], ["send", "apple", "--tag"],
        ["send", "apple", "--tags"],
        ["send", "apple", "--expression"], ["send", "apple", "--user"], ["send", "apple", "--everyone"],
        ["send", "apple", "--device"], ["schedule", "apple", "--everyone", "--in"], ["cancel"], ["outcome"],
    ]

    @Test(arguments: representatives(wrongPlaces))
    func `does not repeat a secret that was put in the wrong place`(words: [String]) async throws {
        let secret = NHubProgram.connectionString(port: 1)
        let (outcome, requests) = try await NHubProgram.run(words + [secret], answer: SendTests.taken)
        #expect([2, 3].contains(outcome.status))
        #expect(outcome.error.split(separator: "\n").count == 1)
        #expect(requests.isEmpty)
    }

    @Test func `refuses values that are too large together`() async throws {
        let value = String(repeating: "x", count: 65_536)
        try await NHubProgram.expectUsageError(["send", "template", "--tag", "a", "b=\(value)"], "(at most 65536)")
    }

    @Test(arguments: ["check", "installation", "import", "send", "schedule", "cancel", "outcome"])
    func `shows its help`(name: String) async throws {
        let outcome = try await BuiltProgram(product: "nhub").run(name, "--help")
        #expect((outcome.status, outcome.error) == (0, ""))
        #expect(outcome.output.hasPrefix("OVERVIEW: "))
        #expect(outcome.output.contains("USAGE: nhub \(name) "))
        #expect(outcome.output.contains("EXIT STATUS:"))
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.utf8.count <= 120 })
    }
}
