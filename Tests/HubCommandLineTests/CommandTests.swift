import Testing

@testable import HubCommandLine

@Suite struct CommandTests {
    private static let command = Command(
        "serve", summary: "Serve files.", usage: ["[options] FOLDER", "--list"],
        discussion: [String(repeating: "word ", count: 60)],
        groups: [
            .init([
                .init("--port", "-p", value: "NUMBER", help: "Port. " + String(repeating: "More text. ", count: 20)),
                .init("--json", help: "Print JSON."),
                .init("--tier", value: "TIER", kind: .choices(["free", "basic", "standard"]), help: "Tier."),
                .init("--wait", value: "SPAN", isValueOptional: true, help: "Wait."),
            ]), .init([.init("--key-file", value: "PATH", help: "Key.")], title: "KEY"),
        ],
        sections: [.init("REASONS", text: "gone"), .init(exitStatus: [(.success, "done"), (.usage, "invalid")])])

    @Test(arguments: [
        (["-p", "80"], "80"), (["--port=80", "--json"], "80"), (["-p=-1"], "-1"), (["--port", "-1"], "-1"),
        (["--port", "=x"], "=x"), (["--port="], ""), (["a", "--port", "80", "-"], "80"),
    ])
    func `accepts an option by each of its names`(words: [String], port: String) throws {
        var arguments = Arguments(words)
        try arguments.check(against: Self.command)
        let value = try arguments.value(of: "--port")
        let isJSON = arguments.flag("--json")
        let operands = try arguments.operands()
        #expect(value == port)
        #expect(isJSON == words.contains("--json"))
        #expect(operands == words.filter { ["a", "-"].contains($0) })
    }

    @Test(arguments: [
        (["--prot", "1"], "unknown option: \"--prot\" (did you mean --port?)"), (["-x"], "unknown option: \"-x\""),
        (["--SharedAccessKey=secret"], "unknown option: (redacted)"), (["--json=yes"], "--json accepts no value"),
        (["--tier", "gold"], "--tier: expected free, basic or standard"),
        (["--tier="], "--tier: expected free, basic or standard"),
        (["--port"], "--port requires a value"), (["-p", "--json"], "--port requires a value"),
    ])
    func `rejects an option that the command does not have`(words: [String], message: String) {
        #expect(throws: UsageError(message)) {
            var arguments = Arguments(words)
            try arguments.check(against: Self.command)
        }
    }

    @Test func `accepts an optional value only after an equals sign`() throws {
        for (words, expected) in [(["--wait", "ID"], nil), (["--wait=1m", "ID"], "1m")] {
            var arguments = Arguments(words)
            try arguments.check(against: Self.command)
            let waits = arguments.flag("--wait")
            let span = try arguments.value(of: "--wait")
            let operands = try arguments.operands()
            #expect((waits, span) == (expected == nil, expected))
            #expect(operands == ["ID"])
        }
    }

    private static let switching = Command(
        "run", summary: "Run.", usage: ["ACTION"],
        actions: .init([.init("fast", help: "Fast."), .init("slow", help: "Slow.")]),
        groups: [.init([.init("--speed", value: "N", help: "Speed.")])], sections: [])

    @Test(arguments: [
        ([], "missing action (allowed: fast, slow)"),
        (["--speed", "1", "fast"], "missing action (allowed: fast, slow)"),
        (["fats"], "unknown action: \"fats\" (did you mean fast?) (allowed: fast, slow)"),
        (["Key="], "unknown action: (redacted) (allowed: fast, slow)"),
        (["slow", "--speed", "1"], "--speed: not supported for slow"),
    ])
    func `rejects an action that the command does not have, and options that it does not use`(
        words: [String], message: String
    ) {
        #expect(throws: UsageError(message)) {
            var arguments = Arguments(words)
            try arguments.check(against: Self.switching)
            _ = try arguments.action(of: Self.switching)
            try arguments.finish()
        }
    }

    @Test func `keeps the words after two dashes`() throws {
        var arguments = Arguments(["--json", "--", "--prot"])
        try arguments.check(against: Self.command)
        let isJSON = arguments.flag("--json")
        let operands = try arguments.operands()
        #expect((isJSON, operands) == (true, ["--prot"]))
    }

    @Test func `generates the help`() {
        let help = CommandHelp(style: .plain).text(Self.command.topic(of: "tool"))
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.count <= 120 && $0.last != " " })
        #expect(
            help.hasPrefix(
                "OVERVIEW: Serve files.\n\nUSAGE: tool serve [options] FOLDER\n       tool serve --list\n\nword"))
        #expect(lines.contains("  -h, --help         Show this help."))
        #expect(lines.contains("  --json             Print JSON."))
        #expect(lines.contains { $0.hasPrefix("  -p, --port NUMBER  Port. More") })
        #expect(
            lines.contains {
                $0.hasPrefix(String(repeating: " ", count: 21) + "More")
                    || $0.hasPrefix(String(repeating: " ", count: 21) + "text")
            })
        #expect(
            help.hasSuffix("KEY:\n  --key-file PATH  Key.\n\nREASONS:\n  gone\n\nEXIT STATUS:\n  0  done\n  2  invalid")
        )
    }

    @Test(arguments: [
        ("verfy", "verify"), ("sing", "sign"), ("adit", "audit"), ("--resorce", "--resource"), ("bogus", nil),
        ("x", nil), ("", nil),
    ])
    func `suggests the most similar name`(word: String, name: String?) {
        let names = ["sign", "verify", "inspect", "audit", "--resource", "--json"]
        #expect(Suggestion.text(for: word, among: names) == (name.map { " (did you mean \($0)?)" } ?? ""))
    }
}
