import Foundation
import HubTestSupport
import Testing

/// Tests of `sas audit` in git repositories.
@Suite(.timeLimit(.minutes(30))) struct AuditRepositoryTests {
    private static let secret = SASProgram.connectionString
    private static let finding = "connection string for contoso.servicebus.windows.net, policy rule"

    /// Runs a shell script in a new repository, in which `$SECRET` is a connection string and `sas` the tool.
    private static func run(_ script: String) async throws -> BuiltProgram.Outcome {
        let start = """
            sas() { "$SAS" "$@"; }
            commit() { git add -A && git commit -qm "$1"; }
            export SAS="$0" GIT_AUTHOR_DATE="2026-01-02T03:04:05Z" GIT_CONFIG_GLOBAL=/dev/null
            export GIT_CONFIG_NOSYSTEM=1
            export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
            cd "$1" && git init -q . || exit 99

            """
        return try await SASProgram.withTemporaryDirectory { directory in
            try await SASProgram.shell(start + script, [directory.path()], Data(), ["SECRET": secret])
        }
    }

    @Test func `skips untracked files that git ignores`() async throws {
        let script = """
            printf 'build/\\n*.log\\n' > .gitignore
            mkdir build && echo "$SECRET" | tee build/a a.log tracked.log b > c
            git add -f tracked.log && rm c
            sas audit . | cut -d : -f 1
            """
        #expect(try await Self.run(script).output == "b\ntracked.log\n")
        #expect(
            try await Self.run(script.replacingOccurrences(of: "audit .", with: "audit --no-ignore .")).output
                == "a.log\nb\nbuild/a\ntracked.log\n")
    }

    @Test func `searches an ignored directory that is an operand`() async throws {
        let outcome = try await Self.run(
            "echo build > .gitignore; mkdir build; echo \"$SECRET\" > build/a; sas audit build")
        #expect(outcome.output.hasPrefix("build/a:1:1: \(Self.finding)"))
    }

    @Test(arguments: [".git", ".git/logs"]) func `searches git's own directory that is an operand`(path: String)
        async throws
    {
        let outcome = try await Self.run("mkdir -p .git/logs; echo \"$SECRET\" > .git/logs/a; sas audit \(path)")
        #expect(outcome.output.hasPrefix(".git/logs/a:1:1: \(Self.finding)"))
    }

    @Test func `searches submodules and nested repositories`() async throws {
        let outcome = try await Self.run(
            """
            git init -q nested && echo "$SECRET" > nested/a
            echo x > a && sas audit . | cut -d : -f 1
            """)
        #expect(outcome.output == "nested/a\n")
    }

    @Test func `reads the index with --staged`() async throws {
        let outcome = try await Self.run(
            """
            echo "$SECRET" > old && commit old
            echo "x $SECRET" > 'new file' && git add . && echo clean > 'new file'
            echo "$SECRET" > unstaged
            sas audit --staged
            """)
        #expect(outcome.output.hasPrefix("new file:1:3: \(Self.finding)"))
        #expect(outcome.output.split(separator: "\n").count == 1)
        #expect(outcome.status == 1)
    }

    @Test func `finds nothing in an index without changes`() async throws {
        let outcome = try await Self.run("sas audit --staged")
        #expect((outcome.output, outcome.status) == ("", 0))
        #expect(outcome.error.hasPrefix("sas: 0 files, 0 bytes, "))
    }

    @Test func `finds a secret that a later commit removed`() async throws {
        let outcome = try await Self.run(
            """
            echo "$SECRET" > a && commit one
            echo "$SECRET" > b && echo more >> a && commit two
            git rm -q a b && commit three
            git log --reverse --abbrev=12 --format=%h
            sas audit --git-history
            """)
        let lines = outcome.output.split(separator: "\n")
        try #require(lines.count == 5)
        #expect(lines[3].hasPrefix("a:1:1: \(Self.finding)"))
        #expect(lines[3].hasSuffix("commit \(lines[0]) of 2026-01-02T03:04:05Z"))
        #expect(lines[4].hasPrefix("b:1:1: \(Self.finding)"))
        #expect(lines[4].hasSuffix("commit \(lines[1]) of 2026-01-02T03:04:05Z"))
        #expect(outcome.status == 1)
    }

    @Test func `limits --git-history to revisions`() async throws {
        let outcome = try await Self.run(
            """
            echo "$SECRET" > a && commit one
            echo "$SECRET" > b && commit two
            sas audit --git-history HEAD~1..HEAD
            """)
        #expect(outcome.output.hasPrefix("b:1:1: "))
        #expect(outcome.output.split(separator: "\n").count == 1)
    }

    @Test func `finds a secret that only a merge added`() async throws {
        let outcome = try await Self.run(
            """
            echo x > a && commit one && git checkout -q -b side
            echo y > b && commit two && git checkout -q - && echo z > c && commit three
            git merge -q --no-commit side && echo "$SECRET" > d && commit merge
            sas audit --git-history | cut -d : -f 1
            """)
        #expect(outcome.output == "d\n")
    }

    @Test func `searches a clone whose submodule is not checked out`() async throws {
        let outcome = try await Self.run(
            """
            git init -q other && (cd other && echo x > a && commit one)
            git -c protocol.file.allow=always submodule --quiet add "$PWD/other" sub && echo "$SECRET" > b && commit two
            git clone -q . clone && cd clone && sas audit .
            """)
        #expect(outcome.output.hasPrefix("b:1:1: "))
        #expect(outcome.status == 1)
    }

    @Test(arguments: ["log.diffMerges off", "diff.relative true", "log.showSignature true"])
    func `does not depend on git's configuration`(setting: String) async throws {
        let outcome = try await Self.run(
            """
            git config \(setting)
            echo x > a && commit one && git checkout -q -b side
            echo y > b && commit two && git checkout -q - && mkdir c && echo z > c/c && commit three
            git merge -q --no-commit side && echo "$SECRET" > d && commit merge
            echo "$SECRET" > e && git add e
            cd c && sas audit --git-history && sas audit --staged; sas audit --staged
            """)
        #expect(outcome.output.split(separator: "\n").map { $0.prefix { $0 != ":" } } == ["d", "e"])
    }

    @Test func `continues after an object that is missing`() async throws {
        let outcome = try await Self.run(
            """
            echo x > a && commit one && id=$(git rev-parse HEAD:a)
            echo "$SECRET" > b && commit two
            rm -f .git/objects/$(echo $id | cut -c 1-2)/$(echo $id | cut -c 3-)
            sas audit --git-history
            """)
        #expect(outcome.output.hasPrefix("b:1:1: "))
        #expect(outcome.error.hasPrefix("sas: cannot read a: No such file or directory\n"))
        #expect(outcome.status == 3)
    }

    @Test(arguments: ["--staged", "--git-history"])
    func `requires a repository`(option: String) async throws {
        let outcome = try await Self.run("rm -rf .git; sas audit \(option)")
        #expect(
            outcome.error == "sas: git finds no repository here, or refuses to use it: run git status; "
                + "for a bare repository, set GIT_DIR\n")
        #expect(outcome.status == 3)
    }

    @Test func `redacts a secret that is passed as a revision`() async throws {
        let outcome = try await Self.run("sas audit --git-history \"$SECRET\"")
        #expect(outcome.error.hasPrefix("sas: --git-history: invalid revision (redacted"))
        #expect(outcome.status == 2)
    }

    @Test func `reports a failed git command`() async throws {
        let outcome = try await Self.run("sas audit --git-history no-such-revision")
        #expect(outcome.error.hasSuffix("sas: git log failed\n"))
        #expect(outcome.status == 3)
    }

    @Test(arguments: [
        (["audit", "--staged", "path"], "--staged accepts no path"),
        (["audit", "--staged", "--git-history"], "exclude each other"),
        (["audit", "--git-history", "--", "--output=x"], "git log failed"),
    ])
    func `rejects invalid combinations`(arguments: [String], message: String) async throws {
        let outcome = try await SASProgram.run(arguments)
        #expect(outcome.error.contains(message))
        #expect(outcome.status == (message.hasPrefix("git") ? 3 : 2))
    }
}
