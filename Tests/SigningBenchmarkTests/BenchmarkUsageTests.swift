import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30)), .needsAllocator) struct BenchmarkUsageTests {
    let benchmark = BuiltProgram(product: "signing-benchmark")

    @Test(arguments: ["--help", "-h"])
    func `shows its help`(word: String) async throws {
        let outcome = try await benchmark.run(word)
        #expect(outcome.status == 0)
        #expect(outcome.error.isEmpty)
        for option in [
            "--filter", "--kernel", "--compare", "--threads", "--rounds", "--json", "--markdown", "--baseline",
            "--fail-above", "--chart", "--peers", "--input", "--version",
        ] {
            #expect(outcome.output.contains(option))
        }
    }

    @Test func `shows its version`() async throws {
        #expect(try await benchmark.run("--version").output == "signing-benchmark \(BuiltProgram.version)\n")
    }

    @Test(arguments: [
        (["--bogus"], "unknown option: \"--bogus\""), (["more"], "unexpected argument: \"more\""),
        (["--filter"], "--filter requires a value"), (["--filter", "md5"], "--filter: no case name contains \"md5\""),
        (["--kernel", "fast"], "--kernel: expected one of portable, "),
        (["--rounds", "0"], "--rounds: expected a number from 1 to 10000; got \"0\""),
        (["--rounds", "x"], "--rounds: expected a number from 1 to 10000; got \"x\""),
        (["--threads", "0"], "--threads: expected a number from 1 to "),
        (["--threads", "2", "--compare"], "--threads cannot be combined with --filter, --compare or --laps"),
        (["--threads", "2", "--filter", "hmac"], "--threads cannot be combined with --filter, --compare or --laps"),
        (["--threads", "2", "--laps", "1"], "--threads cannot be combined with --filter, --compare or --laps"),
        (["--threads", "2", "--markdown"], "--threads cannot be combined with --markdown, --input, --peers, "),
        (["--libcrypto", "x"], "--libcrypto requires --compare"),
        (["--json", "--markdown"], "--json cannot be combined with --markdown"),
        (["--fail-above", "5"], "--fail-above requires --baseline"),
        (["--baseline", "x", "--fail-above", "0"], "--fail-above: expected a number from 1 to 1000; got \"0\""),
        (["--input", "-", "--baseline", "-"], "only one of --input, --peers and --baseline can be standard input"),
        (
            ["--input", "x", "--rounds", "5"],
            "--input cannot be combined with --json, --compare, --kernel, --rounds or --laps"
        ),
        (["--peers", "x"], "--peers requires --chart or --markdown"),
    ])
    func `rejects an invalid command line in one line`(words: [String], message: String) async throws {
        expectUsageError(try await benchmark.run(words), message)
    }

    @Test func `rejects a kernel of another architecture`() async throws {
        #if arch(x86_64)
        let kernel = "arm-sha"
        #else
        let kernel = "x86-sha"
        #endif
        for arguments in [["--kernel", kernel], ["--kernel", kernel, "--threads", "1"]] {
            expectUsageError(try await benchmark.run(arguments), "--kernel: \(kernel) is not available on this machine")
        }
    }

    private func expectUsageError(_ outcome: BuiltProgram.Outcome, _ message: String) {
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("signing-benchmark: "))
        #expect(outcome.error.contains(message))
        #expect(outcome.error.split(separator: "\n").count == 1)
    }
}
