import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30)), .needsAllocator) struct BenchmarkUsageTests {
    let benchmark = BuiltProgram(product: "signing-benchmark")

    @Test(arguments: ["--help", "-h"])
    func `shows its help`(word: String) async throws {
        let outcome = try await benchmark.run(word)
        #expect(outcome.status == 0)
        #expect(outcome.error.isEmpty)
        for option in ["--filter", "--kernel", "--compare", "--threads", "--rounds", "--json", "--version"] {
            #expect(outcome.output.contains(option))
        }
    }

    @Test func `says its version`() async throws {
        #expect(try await benchmark.run("--version").output == "signing-benchmark 0.1.0\n")
    }

    @Test(arguments: [
        (["--bogus"], "the option \"--bogus\" is unknown"), (["more"], "the argument \"more\" is one too many"),
        (["--filter"], "--filter needs a value"), (["--filter", "md5"], "no case's name contains \"md5\""),
        (["--kernel", "fast"], "the kernel fast is unknown; there are portable, "),
        (["--rounds", "0"], "0 is no number of rounds"), (["--rounds", "x"], "x is no number of rounds"),
        (["--threads", "0"], "0 is no number of threads"),
        (["--threads", "2", "--compare"], "--threads measures one case"),
        (["--threads", "2", "--filter", "hmac"], "--threads measures one case"),
        (["--libcrypto", "x"], "--libcrypto goes with --compare"),
    ])
    func `takes bad usage for what it is, in one line`(words: [String], message: String) async throws {
        expectUsageError(try await benchmark.run(words), message)
    }

    @Test func `refuses a kernel of another architecture`() async throws {
        #if arch(x86_64)
        let kernel = "arm-sha"
        #else
        let kernel = "x86-sha"
        #endif
        for arguments in [["--kernel", kernel], ["--kernel", kernel, "--threads", "1"]] {
            expectUsageError(try await benchmark.run(arguments), "does not have the kernel \(kernel)")
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
