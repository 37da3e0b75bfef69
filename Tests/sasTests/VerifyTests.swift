import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct VerifyTests {
    private func verify(
        _ options: [String] = [], resource: String = SASProgram.resource, keys: [String] = SASProgram.keyOptions,
        input: String = ""
    ) async throws -> BuiltProgram.Outcome {
        try await SASProgram.run(
            ["verify", "--resource", resource, "--now", "1700000000"] + keys + options, input: input)
    }

    @Test(arguments: ["", "\n", "\r\n"], ["", "Authorization: ", "authorization:"])
    func `accepts a token from standard input`(suffix: String, prefix: String) async throws {
        let token = try await SASProgram.token()
        #expect(try await verify([prefix + token + suffix]).status == 0)
        #expect(try await verify(["--lines"], input: prefix + token + suffix).status == 0)
        let outcome = try await verify(input: prefix + token + suffix)
        #expect(
            outcome.output == """
                valid
                https://contoso.servicebus.windows.net/hub, policy rule, expires in 76 years (2100-01-01T00:00:00Z)

                """)
        #expect(outcome.status == 0)
    }

    @Test func `warns about an expiry in milliseconds`() async throws {
        let token = try await SASProgram.token(expiry: 1_700_003_600_000)
        let outcome = try await verify(input: token)
        #expect(outcome.status == 0)
        #expect(outcome.error.hasPrefix("sas: warning: se is probably in milliseconds"))
        let lines = try await verify(["--lines"], input: token)
        #expect(lines.output.contains(#""valid":true,"warning":"se is probably in milliseconds"#))
        #expect(try await verify(input: SASProgram.token(expiry: 1_700_003_600)).error.isEmpty)
    }

    @Test(arguments: [" ", "\t", " \n", "\n\n"])
    func `rejects whitespace after a token`(suffix: String) async throws {
        let token = try await SASProgram.token()
        #expect(try await verify(input: token + suffix).status == 1)
        #expect(try await verify([token + suffix]).status == 1)
        #expect(try await verify(["--lines"], input: token + suffix + "\n").status == 1)
    }

    @Test func `fails for empty input, and says so`() async throws {
        let outcome = try await verify(["--lines"])
        #expect((outcome.status, outcome.output) == (1, ""))
        #expect(outcome.error == "sas: standard input is empty: pass one token per line\n")
    }

    @Test func `counts offsets from the start of the token`() async throws {
        let line = "Authorization:  SharedAccessSignature sr=a&sr=b"
        let single = try SASProgram.objects(try await verify(["--json"], input: line).output).first
        let lines = try SASProgram.objects(try await verify(["--lines"], input: line).output).first
        let bare = try SASProgram.objects(try await verify(["--lines"], input: String(line.dropFirst(16))).output).first
        #expect(single?["offset"] as? Int == bare?["offset"] as? Int)
        #expect(lines?["offset"] as? Int == bare?["offset"] as? Int)
    }

    @Test func `accepts a token from the command line`() async throws {
        let outcome = try await verify([try await SASProgram.token(), "--json"])
        let object = try #require(try SASProgram.objects(outcome.output).first)
        #expect(object["valid"] as? Bool == true)
        #expect(object["expires"] as? Int == 4_102_444_800)
        #expect(outcome.status == 0)
    }

    @Test func `accepts primary and secondary keys and several policies`() async throws {
        let token = try await SASProgram.token()
        let other = ["--key-name", "other", "--key-env", "SAS_TEST_INPUT"]
        let two = ["--key-name", "rule", "--key-env", "SAS_TEST_INPUT", "--key-env", "SAS_TEST_KEY"]
        #expect(try await verify(keys: other + two, input: token).status == 0)
        #expect(try await verify(keys: two + other, input: token).status == 0)
        #expect(
            try await verify(keys: ["--key-name", "rule", "--key-env", "SAS_TEST_INPUT"], input: token).status == 1)
    }

    @Test(arguments: [
        (["--now=4102444800"], ["expired"]), (["--now=4102444800", "--leeway", "1s"], []),
        (["--max-lifetime", "1h"], ["lifetimeTooLong"]), (["--max-lifetime", "99999d"], []),
        (["--min-lifetime", "99999d"], ["lifetimeTooShort"]), (["--min-lifetime", "1h"], []),
        (["--now=4102444800", "--min-lifetime", "1h"], ["expired"]),
        (["--now=4102444800", "--leeway", "1h", "--min-lifetime", "1h"], ["lifetimeTooShort"]),
        (["--resource=https://contoso.servicebus.windows.net/hub/installations/1"], []),
        (["--resource=https://contoso.servicebus.windows.net/other"], ["outOfScope"]),
        (["--key-name=other", "--key-env=SAS_TEST_KEY"], ["unknownKey"]),
        (["--key-name=rule", "--key-env=SAS_TEST_INPUT"], ["invalidSignature"]),
        (["--key-name=x", "--key-env=SAS_TEST_KEY", "--now=4102444800"], ["unknownKey", "expired"]),
    ])
    func `reports every reason for rejection`(options: [String], reasons: [String]) async throws {
        let defaults = [
            "--resource=\(SASProgram.resource)", "--now=1700000000", "--key-name=rule", "--key-env=SAS_TEST_KEY",
        ]
        let names = options.map { $0.split(separator: "=")[0] }
        let rest = defaults.filter { !names.contains($0.split(separator: "=")[0]) }
        let outcome = try await SASProgram.run(
            ["verify", "--json"] + rest + options, input: try await SASProgram.token())
        let object = try #require(try SASProgram.objects(outcome.output).first)
        #expect(object["valid"] as? Bool == reasons.isEmpty)
        #expect(object["reasons"] as? [String] ?? [] == reasons)
        #expect(object["message"] is String == !reasons.isEmpty)
        #expect(object["keyName"] as? String == "rule")
        #expect(object["resource"] as? String == SASProgram.resource)
        let now = names.contains("--now") ? 4_102_444_800 : 1_700_000_000
        #expect(object["secondsLeft"] as? Int == 4_102_444_800 - now)
        #expect(outcome.status == (reasons.isEmpty ? 0 : 1))
    }

    @Test func `describes the reasons as text`() async throws {
        let outcome = try await verify(
            ["--max-lifetime", "1"], keys: ["--key-name", "x", "--key-env", "SAS_TEST_KEY"],
            input: try await SASProgram.token())
        #expect(
            outcome.output
                == "invalid: no key given for the policy \"rule\", only for \"x\"; the token is valid for longer than "
                + "allowed\n"
        )
        #expect(outcome.error.isEmpty)
    }

    @Test(arguments: [
        (["--now", "4102704000"], "the token expired 3 days ago (2100-01-01T00:00:00Z)"),
        (["--now", "4102185600", "--min-lifetime", "1w"], "2100-01-01T00:00:00Z); the minimum lifetime is 7 days"),
        (["--ignore-port"], "another resource: \"https://contoso.servicebus.windows.net/hub\""),
    ])
    func `says what a token lacks`(options: [String], message: String) async throws {
        let resource = options[0] == "--now" ? SASProgram.resource : "https://contoso.servicebus.windows.net/other"
        let outcome = try await SASProgram.run(
            ["verify", "--resource", resource] + SASProgram.keyOptions + options, input: try await SASProgram.token())
        #expect(outcome.output.hasPrefix("invalid: "))
        #expect(outcome.output.contains(message))
    }

    @Test func `prints the fingerprint that audit prints`() async throws {
        let token = try await SASProgram.token()
        let verified = try SASProgram.objects(try await verify(["--json"], input: token).output).first
        let found = try SASProgram.objects(
            try await SASProgram.run(["audit", "--json"], input: Data(token.utf8)).output
        ).first
        #expect(try #require(verified?["fingerprint"] as? String) == found?["fingerprint"] as? String)
    }

    @Test func `explains common mistakes`() async throws {
        let token = try await SASProgram.token()
        let mistakes = [
            ([], "", "the input is empty"), (["/etc/passwd"], "", "this is the name of a file"),
            ([], token + "\n" + token, "more than one token"),
        ]
        for (operands, input, hint) in mistakes {
            let outcome = try await verify(operands, input: input)
            #expect((outcome.status, outcome.error) == (1, ""))
            #expect(outcome.output.contains(hint))
            #expect(!outcome.output.contains("sig="))
        }
        let quoted = try await SASProgram.run(
            ["verify", "--resource", SASProgram.resource, "--connection-string-env", "QUOTED", token],
            environment: ["QUOTED": "\"\(SASProgram.connectionString)\""])
        #expect((quoted.status, quoted.output) == (2, ""))
        #expect(quoted.error.contains("in quotation marks"))
    }

    @Test(arguments: [
        (Data(), 0), (Data("x".utf8), 0), (Data([0xff, 0xfe]), 0), (Data("SharedAccessSignature sr=\u{e9}".utf8), 25),
        (Data("SharedAccessSignature sr=a&sig=".utf8) + [0xc3], 31), (Data(repeating: 0x41, count: 1_200_000), 8192),
    ])
    func `rejects malformed input`(text: Data, offset: Int) async throws {
        let outcome = try await SASProgram.run(
            ["verify", "--json", "--resource", SASProgram.resource] + SASProgram.keyOptions, input: text)
        let object = try #require(try SASProgram.objects(outcome.output).first)
        #expect(object["reasons"] as? [String] == ["malformed"])
        #expect(object["offset"] as? Int == offset)
        #expect(object["message"] is String)
        #expect(outcome.status == 1)
    }

    @Test func `verifies each line in order`() async throws {
        let token = try await SASProgram.token()
        let expired = try await SASProgram.token(expiry: 1)
        // More than one chunk of lines. A line's number determines its verdict.
        let lines = (0..<1500).map { number in
            switch number % 5 {
            case 0: ""
            case 1: expired
            case 2: String(repeating: "x", count: number)
            default: token
            }
        }
        for (separator, end) in [("\n", ""), ("\r\n", "\r\n")] {
            let outcome = try await verify(["--lines"], input: lines.joined(separator: separator) + end)
            let objects = try SASProgram.objects(outcome.output)
            #expect(objects.count == lines.count)
            for (number, object) in objects.enumerated() {
                let reasons: [String] =
                    switch number % 5 {
                    case 0, 2: ["malformed"]
                    case 1: ["expired"]
                    default: []
                    }
                #expect(object["reasons"] as? [String] ?? [] == reasons)
                if number % 5 == 2 { #expect(object["offset"] as? Int == 0) }
            }
            #expect(outcome.status == 1)
        }
        #expect(try await verify(["--lines", "-"], input: token + "\n" + token).status == 0)
    }

    @Test func `truncates long lines`() async throws {
        let outcome = try await verify(
            ["--lines"], input: String(repeating: "x", count: 1_200_000) + "\n" + (try await SASProgram.token()) + "\n")
        #expect(try SASProgram.objects(outcome.output).map { $0["valid"] as? Bool } == [false, true])
    }

    /// Bytes after the limit of 1 MiB are not read, and could make the token invalid.
    @Test(arguments: [(8000, "", true), (8000, "x", false), (1 << 20, "", false)])
    func `gives the same verdict on a padded token and on a padded line`(count: Int, end: String, isValid: Bool)
        async throws
    {
        let token = try await SASProgram.token()
        let start = "Authorization:" + String(repeating: " ", count: count) + token
        let cut = "Authorization:" + String(repeating: " ", count: (1 << 20) - 14 - token.utf8.count) + token + "x"
        for (text, isValid) in [(start + end, isValid), (cut, false)] {
            for options in [[], ["--lines"]] {
                #expect(try await verify(options, input: text + "\n").status == (isValid ? 0 : 1))
            }
        }
    }

    @Test func `exits silently when the reader closes the pipe`() async throws {
        let input = Data(String(repeating: "\n", count: 2000).utf8)
        let arguments = ["verify", "--lines", "--resource", SASProgram.resource] + SASProgram.keyOptions
        for start in ["", "trap '' PIPE; "] {
            let outcome = try await SASProgram.shell(
                "\(start){ \"$0\" \"$@\" < \"$SAS_TEST_INPUT\"; echo $? >&2; } | head -n 1", arguments, input)
            #expect(outcome.output.split(separator: "\n").count == 1)
            #expect(outcome.error == "141\n")
        }
    }

    @Test func `reports that the result cannot be written`() async throws {
        let token = Data(try await SASProgram.token().utf8)
        let arguments = ["verify", "--resource", SASProgram.resource] + SASProgram.keyOptions
        let outcome = try await SASProgram.shell("\"$0\" \"$@\" < \"$SAS_TEST_INPUT\" >&-", arguments, token)
        #expect(outcome.status == 3)
        #expect(outcome.error == "sas: cannot write to standard output: Bad file descriptor\n")
    }

    @Test func `reports that standard input cannot be read`() async throws {
        let arguments = ["verify", "--resource", SASProgram.resource] + SASProgram.keyOptions
        for options in [[], ["--lines"]] {
            let outcome = try await SASProgram.shell("\"$0\" \"$@\" < /", arguments + options)
            #expect(outcome.status == 3)
            #expect(outcome.error == "sas: cannot read standard input: Is a directory\n")
        }
    }
}
