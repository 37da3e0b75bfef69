import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct UsageTests {
    @Test(arguments: ["--help", "-h", "help"])
    func `shows its help`(word: String) async throws {
        let outcome = try await SASProgram.run([word])
        #expect(outcome.output.contains("USAGE: sas <subcommand>"))
        #expect(outcome.status == 0)
    }

    @Test(arguments: ["sign", "verify", "inspect", "audit"])
    func `shows a subcommand's help in two ways`(name: String) async throws {
        let first = try await SASProgram.run([name, "--help"])
        let second = try await SASProgram.run(["help", name])
        #expect(first.output == second.output)
        #expect(first.output.contains("USAGE: sas \(name)"))
        #expect(first.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
        #expect((first.status, first.error) == (0, ""))
    }

    @Test func `says its version`() async throws {
        #expect(try await SASProgram.run(["--version"]).output == "sas 0.1.0\n")
    }

    @Test(arguments: [["--version"], ["--help"], ["help", "sign"], ["verify", "-h"]])
    func `says that a text of its own cannot be written`(words: [String]) async throws {
        let outcome = try await SASProgram.shell("\"$0\" \"$@\" >&-", words)
        #expect(outcome.status == 3)
        #expect(outcome.error == "sas: cannot write to standard output: Bad file descriptor\n")
    }

    @Test func `helps with help`() async throws {
        let overview = try await SASProgram.run(["--help"]).output
        for words in [["help", "--help"], ["help", "help"], ["help", "-h"]] {
            #expect(try await SASProgram.run(words).output == overview)
        }
    }

    private static let resource = ["--resource", SASProgram.resource]
    private static let sign = ["sign"] + resource + SASProgram.keyOptions
    private static let verify = ["verify"] + resource + SASProgram.keyOptions

    private static let mistakes: [([String], String)] = [
        ([], "a subcommand is missing"), (["bogus"], "the subcommand \"bogus\" is unknown"),
        (["help", "bogus"], "the subcommand \"bogus\" is unknown"), (["--bogus"], "the option \"--bogus\" is unknown"),
        (["--version", "extra"], "one too many"), (["--help", "nonsense"], "one too many"),
        (sign + ["--expires", "@99999999999999999999"], "beyond the last second"),
        (verify + ["--leeway", "99999999999999999999"], "--leeway is a longer time span than there is"),
        (["sign", "--connection-string-env", "STRING", "--hub="], "--hub is empty"),
        (["sign"], "a key is missing"), (["verify"], "a key is missing"),
        (["sign"] + SASProgram.keyOptions, "--resource is missing"),
        (["verify"] + SASProgram.keyOptions, "--resource is missing"),
        (sign + ["--bogus"], "the option \"--bogus\" is unknown"),
        (sign + ["more"], "the argument \"more\" is one too many"),
        (sign + ["--expires"], "--expires needs a value"), (sign + ["--expires", "--json"], "--expires needs a value"),
        (sign + resource, "--resource is there twice"), (sign + ["--expires", "1h"], "--expires wants"),
        (sign + ["--expires", "+-1h"], "--expires wants"), (sign + ["--expires", "@-1"], "--expires wants"),
        (sign + ["--expires", "+1w"], "--expires wants"), (sign + ["--expires", "+"], "--expires wants"),
        (sign + ["--expires", "@"], "--expires wants"), (sign + ["--expires", "+106751991167301d"], "--expires"),
        (sign + ["--expires", "+9223372036854775807"], "beyond the last second"),
        (sign + ["--encoding", "bogus"], "the encoding \"bogus\" is unknown; there are standard"),
        (sign + ["--hub", "x"], "leave one"), (sign + SASProgram.keyOptions, "signed with one key, and there are 2"),
        (["sign", "--hub", "x"] + SASProgram.keyOptions, "--hub goes with --connection-string-env"),
        (["sign", "--resource", ""] + SASProgram.keyOptions, "--resource is empty"),
        (
            ["sign", "--resource", String(repeating: "x", count: 9000)] + SASProgram.keyOptions,
            "longer than 8192 bytes"
        ),
        (sign + ["--secret-encoding", "hex"], "--secret-encoding is utf8 or base64"),
        (["sign", "--key-env", "SAS_TEST_KEY"] + resource, "needs a --key-name before it"),
        (["sign", "--key-name", "a"] + resource, "--key-name needs a key behind it"),
        (["sign", "--key-name", "a"] + SASProgram.keyOptions + resource, "--key-name needs a key behind it"),
        (["sign", "--key-name", ""] + SASProgram.keyOptions.dropFirst(2) + resource, "the key's name is empty"),
        (
            ["sign", "--key-name", "a", "--key-env", "NOT_SET"] + resource,
            "the environment variable NOT_SET of --key-env is not set"
        ),
        (
            ["sign", "--key-name", "a", "--key-env", "EMPTY"] + resource,
            "the environment variable EMPTY of --key-env is empty"
        ),
        (
            ["sign", "--key-name", "a", "--key-env", "WORD", "--secret-encoding", "base64"] + resource,
            "is no base64 text"
        ),
        (["sign", "--connection-string-env", "WORD"], "expected NAME=VALUE"),
        (["sign", "--connection-string-env", "NO_KEY"], "has a SharedAccessSignature and no key"),
        (["sign", "--connection-string-env", "STRING", "--hub", "a/b"], "invalid character in a hub's name at byte 1"),
        (verify + ["--leeway", "-1"], "--leeway wants"), (verify + ["--max-lifetime", "-1h"], "--max-lifetime wants"),
        (verify + ["--now", "soon"], "--now wants"), (verify + ["a", "b"], "more than one token"),
        (verify + ["--lines", "a"], "one too many"),
        (["verify", "--resource", "https://a/../b"] + SASProgram.keyOptions, "--resource is not valid"),
        (["inspect", "--lines"], "the option \"--lines\" is unknown"), (["audit", "--bogus"], "is unknown"),
    ]

    @Test(arguments: representatives(mistakes, count: 8))
    func `takes bad usage for what it is, in one line`(words: [String], message: String) async throws {
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

    @Test func `cannot read a key's file that is not there, or is a directory`() async throws {
        for (path, reason) in [("/nowhere/sesame", "No such file or directory"), ("/", "Is a directory")] {
            let outcome = try await SASProgram.run(["sign", "--key-name", "a", "--key-file", path] + Self.resource)
            #expect(outcome.error == "sas: cannot read the file of --key-file: \(reason)\n")
            #expect(outcome.status == 3)
        }
    }

    @Test(arguments: [Data(), Data("\n".utf8), Data([0xff, 0xfe]), Data(count: 70_000)])
    func `refuses a key's file that has no key`(content: Data) async throws {
        try await SASProgram.withTemporaryDirectory { directory in
            let file = directory.appending(path: "key")
            try content.write(to: file)
            let outcome = try await SASProgram.run(
                ["sign", "--key-name", "a", "--key-file", file.path()] + Self.resource)
            #expect(outcome.status == 2)
        }
    }

    @Test(arguments: ["sign", "verify", "inspect", "audit", "help", ""])
    func `does not repeat a secret that was put in the wrong place`(subcommand: String) async throws {
        for secret in [SASProgram.connectionString, SASProgram.key, "--\(SASProgram.key)"] {
            for options in representatives([
                [], ["--key-name", "a", "--key-env"], ["--key-name", "a", "--key-file"], ["--connection-string-env"],
                ["--resource"], ["--encoding"], ["--expires"], ["--now"], ["--secret-encoding"], ["--json", "--hub"],
            ]) {
                _ = try await SASProgram.run([subcommand].filter { !$0.isEmpty } + options + [secret])
            }
        }
    }
}
