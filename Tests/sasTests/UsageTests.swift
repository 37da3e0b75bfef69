import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct UsageTests {
    @Test func `does not write messages into a file if standard error is closed`() async throws {
        let command = "echo a > a; \"$0\" audit --json --output result a 2>&-; echo $?; cat result"
        let outcome = try await SASProgram.withTemporaryDirectory { directory in
            try await SASProgram.shell("cd \"$1\"; \(command)", [directory.path()])
        }
        #expect(outcome.output == "0\n")
    }

    @Test(arguments: ["--help", "-h", "help"])
    func `prints the overview`(word: String) async throws {
        let outcome = try await SASProgram.run([word])
        #expect(outcome.output.contains("USAGE: sas <subcommand>"))
        #expect(outcome.status == 0)
    }

    @Test(arguments: ["sign", "verify", "inspect", "audit", "completion"])
    func `prints a subcommand's help with --help and help`(name: String) async throws {
        let first = try await SASProgram.run([name, "--help"])
        let second = try await SASProgram.run(["help", name])
        #expect(first.output == second.output)
        #expect(first.output.contains("USAGE: sas \(name)"))
        #expect(first.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
        #expect((first.status, first.error) == (0, ""))
    }

    @Test(arguments: ["--version", "-V"]) func `prints its version`(option: String) async throws {
        #expect(try await SASProgram.run([option]).output == "sas \(BuiltProgram.version)\n")
    }

    @Test(arguments: [["--version"], ["--help"], ["help", "sign"], ["verify", "-h"]])
    func `reports that help and version cannot be written`(words: [String]) async throws {
        let outcome = try await SASProgram.shell("\"$0\" \"$@\" >&-", words)
        #expect(outcome.status == 3)
        #expect(outcome.error == "sas: cannot write to standard output: Bad file descriptor\n")
    }

    @Test func `prints the overview as the help of help`() async throws {
        let overview = try await SASProgram.run(["--help"]).output
        for words in [["help", "--help"], ["help", "help"], ["help", "-h"]] {
            #expect(try await SASProgram.run(words).output == overview)
        }
    }

    @Test func `prints completions and manual pages`() async throws {
        for (words, text) in [
            (["completion", "bash"], "\ncomplete -F _sas sas\n"), (["completion", "zsh"], "\n    compdef _sas sas\n"),
            (["completion", "fish"], "\ncomplete -c sas -f\n"), (["help", "--man"], "\n.SH \"SAS VERIFY\"\n"),
            (["help", "verify", "--man"], "\nsas\\-verify \\- verify a token\n"),
        ] {
            let outcome = try await SASProgram.run(words)
            #expect(outcome.output.contains(text))
            #expect((outcome.status, outcome.error) == (0, ""))
        }
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/script")),
        arguments: [("xterm", "", true), ("xterm", "1", false), ("dumb", "", false)])
    func `styles headings and errors on a terminal only`(terminal: String, noColor: String, isStyled: Bool) async throws
    {
        let environment = ["TERM": terminal, "NO_COLOR": noColor]
        for (words, plain, styled) in [
            ("help sign", "\nKEY:", "\n\u{1b}[1mKEY:\u{1b}[0m"),
            ("bogus", "sas: unknown", "\u{1b}[31msas:\u{1b}[0m unknown"),
        ] {
            let outcome = try await SASProgram.shell(
                "script -qec \"'$0' $1\" /dev/null", [words], Data(), environment)
            #expect(outcome.output.contains(isStyled ? styled : plain))
            #expect(outcome.output.contains("\u{1b}") == isStyled)
            let piped = try await SASProgram.shell("\"$0\" $1", [words], Data(), environment)
            #expect(!(piped.output + piped.error).contains("\u{1b}"))
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/script")), arguments: ["verify", "inspect"])
    func `says that it reads from a terminal`(command: String) async throws {
        let words = command == "verify" ? "verify --resource http://a --key n=env:KEY" : "inspect"
        let outcome = try await SASProgram.shell(
            "script -qec \"'$0' $1\" /dev/null", [words], Data("x\n\u{04}".utf8), ["KEY": "sesame"])
        #expect(outcome.output.contains("reading from the terminal; end the input with Ctrl-D"))
        let piped = try await SASProgram.shell("\"$0\" $1", [words], Data("x\n".utf8), ["KEY": "sesame"])
        #expect(!piped.error.contains("reading from"))
    }

    private static let resource = ["--resource", SASProgram.resource]
    private static let sign = ["sign"] + resource + SASProgram.keyOptions
    private static let verify = ["verify"] + resource + SASProgram.keyOptions

    private static let mistakes: [([String], String)] = [
        ([], "missing subcommand"), (["bogus"], "unknown subcommand: \"bogus\""),
        (["help", "bogus"], "unknown subcommand: \"bogus\""), (["--bogus"], "unknown option: \"--bogus\""),
        (["--version", "extra"], "unexpected argument"), (["--help", "nonsense"], "unexpected argument"),
        (sign + ["--expires", "@99999999999999999999"], "the expiry must be less than 2^63 seconds"),
        (verify + ["--leeway", "99999999999999999999"], "--leeway: the duration must be less than 2^63 seconds"),
        (["sign", "--connection-string-env", "STRING", "--hub="], "--hub must not be empty"),
        (["sign"], "missing key"), (["verify"], "missing key"),
        (["sign"] + SASProgram.keyOptions, "missing --resource"),
        (["verify"] + SASProgram.keyOptions, "missing --resource"),
        (sign + ["--bogus"], "unknown option: \"--bogus\""),
        (sign + ["more"], "unexpected argument: \"more\""),
        (sign + ["--expires", "+30m1h"], "--expires: expected"),
        (sign + ["--expires", "+1h30"], "--expires: expected"),
        (sign + ["--expires", "+1h1h"], "--expires: expected"),
        (sign + ["--expires", "2027-13-01T00:00Z"], "a time such as"),
        (sign + ["--expires", "1969-12-31T23:59Z"], "a time such as"),
        (sign + ["--now", "1969-12-31T23:59Z"], "--now: expected a time"),
        (sign + ["--expires"], "--expires requires a value"), (sign + ["--json=1"], "--json accepts no value"),
        (sign + ["--expire", "+1h"], "unknown option: \"--expire\" (did you mean --expires?)"),
        (["completion"], "missing shell (allowed: bash, zsh, fish)"),
        (["completion", "tcsh"], "unknown shell: \"tcsh\""),
        (["completion", "fish", "more"], "unexpected argument"), (["help", "--mna"], "(did you mean --man?)"),
        (["help", "--man", "bogus"], "unknown subcommand: \"bogus\""),
        (["verfy"], "unknown subcommand: \"verfy\" (did you mean verify?)"),
        (sign + ["--expires", "--hub"], "--expires requires a value"),
        (sign + resource, "--resource given more than once"), (sign + ["--expires", "1h"], "--expires: expected"),
        (sign + ["--expires", "+-1h"], "--expires: expected"), (sign + ["--expires", "@-1"], "--expires: expected"),
        (sign + ["--expires", "+1y"], "--expires: expected"), (sign + ["--expires", "+"], "--expires: expected"),
        (sign + ["--expires", "@"], "--expires: expected"), (sign + ["--expires", "+106751991167301d"], "--expires"),
        (sign + ["--expires", "+9223372036854775807"], "the expiry must be less than 2^63 seconds"),
        (sign + ["--encoding", "bogus"], "--encoding: expected standard, verbatim"),
        (sign + ["--hub", "x"], "cannot be combined"), (sign + SASProgram.keyOptions, "2 keys given"),
        (["sign", "--hub", "x"] + SASProgram.keyOptions, "--hub requires --connection-string-env"),
        (["sign", "--resource", ""] + SASProgram.keyOptions, "--resource must not be empty"),
        (
            ["sign", "--resource", String(repeating: "x", count: 9000)] + SASProgram.keyOptions,
            "longer than 8192 bytes"
        ),
        (["sign", "--key", "rule"] + resource, "--key: expected NAME=env:VARIABLE or NAME=file:PATH"),
        (["sign", "--key", "rule=sesame"] + resource, "--key: expected NAME=env:VARIABLE or NAME=file:PATH"),
        (["sign", "--key", "=env:SAS_TEST_KEY"] + resource, "the policy name must not be empty"),
        (["sign", "--key", "rule=env:NOT_SET"] + resource, "--key: environment variable NOT_SET is not set"),
        (["sign", "--key-env", "SAS_TEST_KEY"] + resource, "expected a preceding --key-name"),
        (["sign", "--key-name", "a"] + resource, "--key-name: expected a key after it"),
        (["sign", "--key-name", "a"] + SASProgram.keyOptions + resource, "--key-name: expected a key after it"),
        (
            ["sign", "--key-name", ""] + SASProgram.keyOptions.dropFirst(2) + resource,
            "the policy name must not be empty"
        ),
        (
            ["sign", "--key-name", "a", "--key-env", "NOT_SET"] + resource,
            "--key-env: environment variable NOT_SET is not set"
        ),
        (
            ["sign", "--key-name", "a", "--key-env", "EMPTY"] + resource,
            "--key-env: environment variable EMPTY is empty"
        ),
        (["sign", "--connection-string-env", "WORD"], "expected NAME=VALUE"),
        (["sign", "--connection-string-env", "NO_KEY"], "contains a SharedAccessSignature instead of a key"),
        (["sign", "--connection-string-env", "STRING", "--hub", "a/b"], "invalid character in a hub's name at byte 1"),
        (verify + ["--leeway", "-1"], "--leeway: expected"),
        (verify + ["--max-lifetime", "-1h"], "--max-lifetime: expected"),
        (verify + ["--now", "soon"], "--now: expected"), (verify + ["a", "b"], "more than one token"),
        (verify + ["--lines", "a"], "unexpected argument"),
        (["verify", "--resource", "https://a/../b"] + SASProgram.keyOptions, "--resource: invalid resource"),
        (["inspect", "--lines"], "unknown option: \"--lines\""), (["audit", "--bogus"], "unknown option"),
    ]

    @Test(arguments: representatives(mistakes, count: 8))
    func `rejects invalid usage with a one-line error`(words: [String], message: String) async throws {
        let outcome = try await SASProgram.run(
            words,
            environment: [
                "EMPTY": "", "WORD": "sesame", "STRING": SASProgram.connectionString,
                "NO_KEY":
                    "Endpoint=sb://x/;SharedAccessSignature=SharedAccessSignature sr=a&sig=\(SASProgram.key)&se=1&skn=a",
            ])
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("sas: "))
        #expect(outcome.error.contains(message))
        #expect(outcome.error.split(separator: "\n").count == 1)
    }

    @Test func `reports failures as JSON with --json`() async throws {
        for (words, code, message) in [
            (Self.sign + ["--json", "--bogus"], "usage", "unknown option"),
            (["inspect", "--json", "--key", "a=file:/nowhere/sesame"], "unreadable", "cannot read the key file"),
        ] {
            let outcome = try await SASProgram.run(words)
            let object = try #require(try SASProgram.objects(outcome.output).first)
            #expect(object["code"] as? String == code)
            #expect((object["message"] as? String)?.contains(message) == true)
            #expect((outcome.status, outcome.error) == (code == "usage" ? 2 : 3, ""))
        }
    }

    @Test func `reports a key file that is missing or a directory`() async throws {
        for (path, reason) in [("/nowhere/sesame", "No such file or directory"), ("/", "Is a directory")] {
            let outcome = try await SASProgram.run(["sign", "--key-name", "a", "--key-file", path] + Self.resource)
            #expect(outcome.error == "sas: cannot read the key file: \(reason)\n")
            #expect(outcome.status == 3)
        }
    }

    @Test(arguments: [Data(), Data("\n".utf8), Data([0xff, 0xfe]), Data(count: 70_000)])
    func `rejects a key file without a key`(content: Data) async throws {
        try await SASProgram.withTemporaryDirectory { directory in
            let file = directory.appending(path: "key")
            try content.write(to: file)
            let outcome = try await SASProgram.run(
                ["sign", "--key-name", "a", "--key-file", file.path()] + Self.resource)
            #expect(outcome.status == 2)
        }
    }

    @Test(arguments: ["sign", "verify", "inspect", "audit", "help", ""])
    func `redacts a secret in the wrong argument`(subcommand: String) async throws {
        for secret in [SASProgram.connectionString, SASProgram.key, "--\(SASProgram.key)"] {
            for options in representatives([
                [], ["--key-name", "a", "--key-env"], ["--key-name", "a", "--key-file"], ["--connection-string-env"],
                ["--resource"], ["--encoding"], ["--expires"], ["--now"], ["--json", "--hub"],
            ]) {
                let outcome = try await SASProgram.run([subcommand].filter { !$0.isEmpty } + options + [secret])
                #expect(outcome.status != 0)
            }
        }
    }
}
