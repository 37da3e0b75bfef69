import Foundation
import HubTestSupport
import HubTokenScanner
import Testing

/// Tests of the options of `sas audit` that select files and known secrets.
@Suite(.timeLimit(.minutes(30))) struct AuditSelectionTests {
    private static let fingerprint = SecretMatch.fingerprint(ofKey: Array(SASProgram.key.utf8))

    /// Runs a shell script in a new directory, in which `$SECRET` is a connection string and `sas` the tool.
    private static func run(_ script: String) async throws -> BuiltProgram.Outcome {
        try await SASProgram.withTemporaryDirectory { directory in
            try await SASProgram.shell(
                "sas() { \"$SAS\" \"$@\"; }; SAS=$0; cd \"$1\" || exit 99\n" + script, [directory.path()], Data(),
                ["SECRET": SASProgram.connectionString, "FINGERPRINT": fingerprint])
        }
    }

    /// Returns the files in which secrets are found.
    private static func files(_ script: String) async throws -> [Substring] {
        try await run("{ \(script)\n} | cut -d : -f 1").output.split(separator: "\n")
    }

    private static let tree = """
        mkdir -p a/b/c d && for f in x.txt x.lock a/x.lock a/b/x.txt a/b/c/y.txt d/y.txt; do echo "$SECRET" > $f; done

        """

    @Test(arguments: [
        ("'*.lock'", ["a/b/c/y.txt", "a/b/x.txt", "d/y.txt", "x.txt"]),
        ("b", ["a/x.lock", "d/y.txt", "x.lock", "x.txt"]),
        ("a/b/", ["a/x.lock", "d/y.txt", "x.lock", "x.txt"]),
        ("'a/*/x.txt'", ["a/b/c/y.txt", "a/x.lock", "d/y.txt", "x.lock", "x.txt"]),
        ("'a/*.txt'", ["a/b/c/y.txt", "a/b/x.txt", "a/x.lock", "d/y.txt", "x.lock", "x.txt"]),
        ("'a/**/?.txt'", ["a/x.lock", "d/y.txt", "x.lock", "x.txt"]),
        ("'**/x.*'", ["a/b/c/y.txt", "d/y.txt"]), ("/d/", ["a/b/c/y.txt", "a/b/x.txt", "a/x.lock", "x.lock", "x.txt"]),
        ("./d", ["a/b/c/y.txt", "a/b/x.txt", "a/x.lock", "x.lock", "x.txt"]),
    ])
    func `skips excluded files`(pattern: String, files: [Substring]) async throws {
        #expect(try await Self.files(Self.tree + "sas audit --exclude \(pattern) .") == files)
    }

    @Test func `skips an excluded operand`() async throws {
        #expect(try await Self.files(Self.tree + "sas audit --exclude '*.lock' x.lock x.txt") == ["x.txt"])
        #expect(
            try await Self.files(Self.tree + "sas audit --exclude b/c --exclude x.txt \"$PWD/a\" | sed s,.*/a/,a/,")
                == ["a/x.lock"])
    }

    @Test func `ignores the secrets of an allow file`() async throws {
        let script = """
            mkdir -p tests && echo "$SECRET" | tee a tests/b > tests/c
            printf '# known\\n\\n%s tests/b # in a test\\n* a\\n' $FINGERPRINT > list
            sas audit --allow-file list .
            """
        #expect(try await Self.files(script) == ["tests/c"])
        #expect(try await Self.files(script.replacingOccurrences(of: "list", with: ".sasallow")) == ["tests/c"])
        #expect(
            try await Self.files(
                script.replacingOccurrences(of: "list", with: ".sasallow")
                    .replacingOccurrences(of: "--allow-file .sasallow", with: "")) == ["tests/c"])
    }

    @Test(arguments: ["x", "*", "0123456789abcdef a b"])
    func `rejects an invalid allow file`(line: String) async throws {
        let outcome = try await Self.run("printf '\\n%s\\n' '\(line)' > list; sas audit --allow-file list .")
        #expect(outcome.error.hasPrefix("sas: list:2: expected a fingerprint of 16 hexadecimal digits or *"))
        #expect(outcome.status == 2)
    }

    @Test func `ignores secrets in a line with the comment sas:allow`() async throws {
        let outcome = try await Self.run(
            "printf '%s # sas:allow\\n%s\\n# SAS:ALLOW %s' \"$SECRET\" \"$SECRET\" \"$SECRET\" > a; sas audit .")
        #expect(outcome.output.hasPrefix("a:2:1: "))
        #expect(outcome.error.hasSuffix(": 1 secret found, 2 allowed\n"))
    }

    @Test func `reports only secrets that a baseline does not contain`() async throws {
        let script = """
            mkdir s && echo "$SECRET" | tee 's/a"ä' > s/b
            sas audit --json s > old
            echo "$SECRET" > s/c
            sas audit --baseline old s
            """
        #expect(try await Self.files(script) == ["s/c"])
        let inJob = script.replacingOccurrences(of: "sas audit --json", with: "GITHUB_ACTIONS=true sas audit --json")
            .replacingOccurrences(of: "s/b", with: "s/b####é#")
        #expect(try await Self.files(inJob) == ["s/c"])
        let outcome = try await Self.run("echo x > old; sas audit --baseline old .")
        #expect(outcome.error == "sas: old:1: expected a line of sas audit --json\n")
        #expect(outcome.status == 2)
    }

    @Test func `searches the current folder without a path on a terminal`() async throws {
        let script = "echo \"$SECRET\" > a; script -qec \"$SAS audit\" /dev/null | tr -d '\\r'"
        let outcome = try await Self.run(script)
        #expect(outcome.output.hasPrefix("a:1:1: "))
    }

    @Test func `requires a path if standard input is empty`() async throws {
        let outcome = try await SASProgram.run(["audit"])
        #expect(
            outcome.error == "sas: standard input is empty: pass a path, such as . for the current folder\n")
        #expect(outcome.status == 2)
        #expect(try await SASProgram.run(["audit", "-"]).status == 0)
    }

    @Test func `finds secrets in gzip files with several members`() async throws {
        let script = """
            head -c 3000000 /dev/zero | tr '\\0' '\\n' > big
            { gzip -c big; echo "$SECRET" | gzip -c; head -c 512 /dev/zero; } > a.gz; rm big
            sas audit .
            """
        let outcome = try await Self.run(script)
        #expect(outcome.output.hasPrefix("a.gz:3000001:1: "))
        #expect(outcome.error.hasSuffix(": 1 secret found\n"))
    }

    @Test func `searches damaged gzip files as far as possible`() async throws {
        let truncated = try await Self.run(
            "{ echo \"$SECRET\"; seq 9999; } | gzip -c | head -c 9000 > a.gz; sas audit .")
        #expect(truncated.output.hasPrefix("a.gz:1:1: "))
        #expect(truncated.error.hasPrefix("sas: cannot read a.gz: invalid gzip data\n"))
        #expect(truncated.status == 3)
        let extended = try await Self.run("{ echo \"$SECRET\" | gzip -c; echo x; } > a.gz; sas audit .")
        #expect(extended.output.hasPrefix("a.gz:1:1: "))
        #expect(extended.status == 1)
        let other = try await Self.run("printf '\\037\\213\\010 %s' \"$SECRET\" > a.gz; sas audit .")
        #expect(other.output.hasPrefix("a.gz:1:"))
        #expect(other.status == 1)
        let damaged = try await Self.run(
            "echo \"$SECRET\" | gzip -c > b; { head -c $(($(wc -c < b) - 8)) b; printf '%8s' ''; } > a.gz; rm b; sas audit ."
        )
        #expect(damaged.output.hasPrefix("a.gz:1:1: "))
        #expect(damaged.status == 3)
        // The header contains the name, which has no end here and is longer than a piece of the input.
        let header = try await Self.run(
            "{ printf '\\037\\213\\010\\010%s ' \"$SECRET\"; head -c 1200000 /dev/zero | tr '\\0' x; } | sas audit -")
        #expect(header.status == 1)
    }

    #if os(Linux)
    @Test func `warns once about gzip files without zlib`() async throws {
        let script = """
            mkdir lib && touch lib/libz.so.1
            echo "$SECRET" | gzip -c > a.gz && cp a.gz b.gz && echo "$SECRET" > c
            LD_LIBRARY_PATH=$PWD/lib sas audit .
            """
        let outcome = try await Self.run(script)
        #expect(outcome.output.hasPrefix("c:1:1: "))
        #expect(
            outcome.error.hasPrefix(
                "sas: warning: gzip files are not decompressed: install zlib (libz.so.1)\nsas: 4 files, "))
    }
    #endif

    @Test func `ignores published keys of emulators`() async throws {
        let key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
        let outcome = try await SASProgram.run(
            ["audit"], input: "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=\(key);")
        #expect((outcome.output, outcome.status) == ("", 0))
        #expect(outcome.error.hasSuffix(": no secrets found, 1 of emulators ignored\n"))
    }
}
