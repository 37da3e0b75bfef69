import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct AuditPathTests {
    private static let name = String(repeating: "d", count: 200)

    @Test func `reports a path that is too long`() async throws {
        // The path has 4400 bytes, which exceeds every system's limit.
        let line = """
            root=$PWD && cd -P "$SAS_TEST_ROOT" || exit 99
            for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do mkdir \(Self.name) && cd -P \(Self.name); done
            cp "$SAS_TEST_INPUT" found; cd -P "$root"
            "$0" audit "$SAS_TEST_ROOT"
            status=$?; rm -rf "$SAS_TEST_ROOT/\(Self.name)"; exit $status
            """
        try await SASProgram.withTemporaryDirectory { directory in
            let outcome = try await SASProgram.shell(
                line, [], Data(SASProgram.connectionString.utf8), ["SAS_TEST_ROOT": directory.path()])
            #expect(outcome.output == "")
            #expect(outcome.error.hasPrefix("sas: cannot read "))
            #expect(outcome.error.contains(": File name too long\n"))
            #expect(outcome.status == 3)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "the superuser can read every file"))
    func `reports a directory whose entries cannot be read`() async throws {
        try await SASProgram.withTemporaryDirectory { directory in
            let closed = directory.appending(path: "closed")
            try FileManager.default.createDirectory(at: closed, withIntermediateDirectories: false)
            try Data(SASProgram.connectionString.utf8).write(to: closed.appending(path: "file"))
            let outcome = try await SASProgram.shell(
                "chmod 744 \"$1\"; \"$0\" audit \"$1\"; status=$?; chmod 755 \"$1\"; exit $status", [closed.path()])
            #expect(outcome.error.contains("Permission denied"))
            #expect(outcome.status == 3)
        }
    }
}
