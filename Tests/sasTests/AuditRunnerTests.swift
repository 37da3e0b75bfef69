import Foundation
import HubTestSupport
import Testing

/// Tests of the output of `sas audit` in CI jobs, whose runners execute commands in it.
@Suite(.timeLimit(.minutes(30))) struct AuditRunnerTests {
    private static let names = [
        "::stop-commands::x", " ::add-mask::x", "a\n::add-mask::x", "a\r::add-mask::x", "a\u{2028}::add-mask::x",
        "\u{2028}::debug::x", "##[stop-commands]x", "a##[add-mask]x", "a\n##[group]x",
        "##vso[task.setvariable variable=a]b",
        "#\u{200d}#[debug]x", ":\u{ad}:debug::x",
    ]
    private static let formats = ["text", "json", "sarif", "github", "gitlab"]

    /// Returns whether a runner finds a command in a line.
    private static func isCommand(_ line: Substring) -> Bool {
        let text = line.unicodeScalars.filter {
            $0.properties.generalCategory != .format && $0.properties.generalCategory != .control
        }
        let visible = String(String.UnicodeScalarView(text))
        return visible.trimmingCharacters(in: .whitespacesAndNewlines).hasPrefix("::") || visible.contains("##[")
            || visible.contains("##vso[")
    }

    @Test(arguments: names, formats)
    func `contains no command of a file's name`(name: String, format: String) async throws {
        try await SASProgram.withTemporaryDirectory { directory in
            // A leak has the name, and so has a file that does not exist.
            try Data(SASProgram.connectionString.utf8).write(to: directory.appending(path: name))
            for variable in ["GITHUB_ACTIONS", "TF_BUILD"] {
                let outcome = try await SASProgram.shell(
                    "cd \"$1\" && exec \"$0\" audit --format \(format) -- \"$2\" \"$2.missing\"",
                    [directory.path(), name], Data(), [variable: "true"])
                #expect(outcome.status == 3)
                let output = Self.lines(outcome.output).filter(Self.isCommand)
                let own = output.filter { $0.hasPrefix("::error file=") || $0.hasPrefix("::warning::cannot read ") }
                #expect(output == own)
                #expect(own.count == (format == "github" && variable == "GITHUB_ACTIONS" ? 2 : 0))
                #expect(Self.lines(outcome.error).filter(Self.isCommand).isEmpty)
                #expect(Self.lines(outcome.error).count == 2)
            }
        }
    }

    @Test func `stays valid JSON with the same names`() async throws {
        try await SASProgram.withTemporaryDirectory { directory in
            for name in Self.names {
                try Data(SASProgram.connectionString.utf8).write(to: directory.appending(path: name))
            }
            let outcome = try await SASProgram.shell(
                "cd \"$1\" && exec \"$0\" audit --json .", [directory.path()], Data(), ["GITHUB_ACTIONS": "true"])
            let names = try SASProgram.objects(outcome.output).compactMap { $0["file"] as? String }
            #expect(Set(names) == Set(Self.names))
        }
    }

    @Test func `contains no command of a revision that git rejects`() async throws {
        try await SASProgram.withTemporaryDirectory { directory in
            let outcome = try await SASProgram.shell(
                "cd \"$1\" && git init -q . && exec \"$0\" audit --git-history \"$2\"",
                [directory.path(), "##[stop-commands]x"], Data(), ["GITHUB_ACTIONS": "true"])
            #expect(Self.lines(outcome.error).filter(Self.isCommand).isEmpty)
            #expect(outcome.error.contains("fatal: "))
            #expect(outcome.error.contains("stop-commands"))
        }
    }

    /// Returns the lines that a runner reads.
    private static func lines(_ text: String) -> [Substring] {
        text.split { $0.isNewline && $0 != "\u{2028}" }
    }
}
