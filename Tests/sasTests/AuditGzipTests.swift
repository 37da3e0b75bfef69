import Foundation
import HubTestSupport
import Testing

/// Tests of secrets in and around the content of gzip files.
@Suite(.timeLimit(.minutes(30))) struct AuditGzipTests {
    /// Runs the tool with a file that a shell command writes to its output. `$TEXT` contains a connection string.
    private static func audit(_ command: String) async throws -> BuiltProgram.Outcome {
        try await SASProgram.shell(
            "(\(command)) | \"$0\" audit --json -", [], Data(), ["TEXT": SASProgram.connectionString])
    }

    /// The header of a gzip file with some flags (RFC 1952), as an argument of `printf`.
    private static func header(_ flags: String) -> String { "printf '\\037\\213\\010\\\(flags)\\0\\0\\0\\0\\0\\003'" }

    /// A header's end: an empty block, a checksum and a length of zero.
    private static let end = "printf '\\003\\0\\0\\0\\0\\0\\0\\0\\0\\0'"

    @Test(arguments: [
        "gzip -c < /dev/null; echo \"$TEXT\"", "echo a | gzip -c; printf '\\0\\0'; echo \"$TEXT\"",
        "\(header("020")); printf '%s\\0' \"$TEXT\"; \(end)", "\(header("010")); printf '%s\\0' \"$TEXT\"; \(end)",
        "\(header("004")); printf '\\203\\0%s' \"$TEXT\"; \(end)", "echo \"$TEXT\" | gzip -c | gzip -c",
        "echo \"$TEXT\" | gzip -c | gzip -c | gzip -c", "(echo a | gzip -c; echo \"$TEXT\") | gzip -c",
        "echo \"$TEXT\" | gzip -c | base64 -w 0", "echo \"$TEXT\" | gzip -c | base64 | base64 -w 0",
        "echo \"$TEXT\" | gzip -c | base64 -w 0 | gzip -c", "echo \"$TEXT\" | gzip -c | gzip -c | base64",
    ])
    func `finds a secret anywhere in a gzip file`(command: String) async throws {
        let outcome = try await Self.audit(command)
        let objects = try SASProgram.objects(outcome.output)
        #expect(objects.map { $0["kind"] as? String } == ["connectionString"])
        #expect(outcome.status == 1)
    }

    @Test(arguments: ["base64 -w 0", "base64", "base64 -w 0 | base64"])
    func `finds all secrets in gzip in Base64`(encoding: String) async throws {
        let other = SASProgram.connectionString.replacingOccurrences(of: "contoso", with: "fabrikam")
            .replacingOccurrences(of: SASProgram.key, with: "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g=")
        let outcome = try await Self.audit("(seq 2000; echo \"$TEXT\"; echo '\(other)') | gzip -c | \(encoding)")
        let objects = try SASProgram.objects(outcome.output)
        #expect(Set(objects.compactMap { $0["host"] as? String }).count == 2, "\(outcome.output)")
    }

    @Test func `reports equal secrets in gzip in Base64 once`() async throws {
        let outcome = try await Self.audit("for i in $(seq 100); do echo \"$TEXT\"; done | gzip -c | base64")
        #expect(try SASProgram.objects(outcome.output).count == 1)
    }

    @Test(arguments: ["seq 9999 | gzip -c | head -c 9000", "seq 9999 | gzip -c | head -c 9000 | gzip -c"])
    func `reports incomplete data in each layer`(command: String) async throws {
        let outcome = try await Self.audit(command)
        #expect(outcome.error.contains("invalid gzip data"))
        #expect(outcome.status == 3)
    }

    @Test func `limits the output of gzip in Base64`() async throws {
        let outcome = try await Self.audit("head -c 60000000 /dev/zero | gzip -c | base64 -w 0; echo; echo \"$TEXT\"")
        #expect(try SASProgram.objects(outcome.output).count == 1)
        #expect(outcome.status == 1)
    }
}
