import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30)), .needsAllocator) struct BaselineTests {
    let benchmark = BuiltProgram(product: "signing-benchmark")
    let before = [
        SavedResult(name: "sha256/64", ns: 100), SavedResult(name: "hmac-prepared/71", ns: 200),
    ]

    @Test func `prints the ratio of each case to the baseline`() async throws {
        let outcome = try await compare([
            SavedResult(name: "sha256/64", ns: 50), SavedResult(name: "hmac-prepared/71", ns: 220),
        ])
        #expect(outcome.status == 0)
        #expect(outcome.error.isEmpty)
        #expect(words(outcome, "sha256/64") == ["sha256/64", "100.0", "50.0", "0.50"])
        #expect(words(outcome, "hmac-prepared/71") == ["hmac-prepared/71", "200.0", "220.0", "1.10"])
        #expect(outcome.output.hasSuffix("More than 10 % slower than the baseline: 0 of 2 cases.\n"))
    }

    @Test(arguments: [("20", 0), ("19", 1), ("10", 1)])
    func `fails if a case is slower than the limit allows`(limit: String, status: Int32) async throws {
        let now = [SavedResult(name: "sha256/64", ns: 120), SavedResult(name: "hmac-prepared/71", ns: 200)]
        let outcome = try await compare(now, "--fail-above", limit)
        #expect(outcome.status == status)
        #expect((words(outcome, "sha256/64").last == "slower") == (status == 1))
        #expect(words(outcome, "hmac-prepared/71").last == "1.00")
        #expect(outcome.output.contains("More than \(limit) % slower than the baseline: \(status) of 2 cases."))
    }

    @Test func `allows 10 percent by default`() async throws {
        #expect(try await compare([SavedResult(name: "sha256/64", ns: 111)]).status == 1)
    }

    @Test func `lists the cases that only one run measured`() async throws {
        let outcome = try await compare([
            SavedResult(name: "sha256/64", ns: 100), SavedResult(name: "sas-token", ns: 300),
        ])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("not in the baseline\n"))
        #expect(words(outcome, "sas-token").prefix(4) == ["sas-token", "–", "300.0", "–"])
        #expect(
            words(outcome, "hmac-prepared/71") == ["hmac-prepared/71", "200.0", "–", "–", "not", "in", "this", "run"])
    }

    @Test func `fails if no case is in the baseline`() async throws {
        let outcome = try await compare([SavedResult(name: "sas-token", ns: 300)])
        #expect(outcome.status == 1)
        #expect(outcome.output.hasSuffix("No case of this run is in the baseline.\n"))
    }

    @Test func `compares only this package and the cases that match the filter`() async throws {
        let openSSL = SavedResult(name: "sha256/64", ns: 900, implementation: "OpenSSL SHA256_CTX")
        let outcome = try await compare([openSSL, SavedResult(name: "sha256/64", ns: 90)], "--filter", "sha256")
        #expect(outcome.status == 0)
        #expect(words(outcome, "sha256/64") == ["sha256/64", "100.0", "90.0", "0.90"])
        #expect(!outcome.output.contains("hmac"))
    }

    @Test func `uses the fastest of several results of a case`() async throws {
        let outcome = try await compare([150, 95, 130].map { SavedResult(name: "sha256/64", ns: $0) })
        #expect(words(outcome, "sha256/64") == ["sha256/64", "100.0", "95.0", "0.95"])
    }

    @Test func `warns about a baseline from another machine`() async throws {
        let outcome = try await compare([SavedResult(name: "sha256/64", ns: 100, machine: "Other CPU")])
        #expect(outcome.status == 0)
        #expect(outcome.error.split(separator: "\n").count == 1)
        #expect(outcome.error.contains("the baseline is from another machine (Test CPU, "))
    }

    @Test func `compares a measurement, and keeps standard output in JSON lines`() async throws {
        let input = SavedResult(name: "sha256/64", ns: 1e9).line
        let outcome = try await benchmark.run(
            ["--json", "--rounds=1", "--filter=sha256/64", "--baseline=-"], input: input)
        #expect(outcome.status == 0)
        #expect(outcome.output.split(separator: "\n").count == 1)
        #expect(outcome.output.hasPrefix("{"))
        #expect(outcome.error.contains("0 of 1 cases"))
    }

    @Test(arguments: [
        ("", "--input: standard input contains no results"), ("\n{}\n", "--input: line 2: expected a JSON object"),
        (#"{"case":"x","implementation":"y","ns":0}"#, "--input: line 1: expected"),
        (#"{"case":"x","implementation":"y","ns":"1"}"#, "--input: line 1: expected"),
        (#"{"case":"x","implementation":"y","ns":1} x"#, "--input: line 1: expected"),
        (#"{"case":"x","implementation":"y","ns":1,"more":[1]}"#, "--input: line 1: expected"),
        (#"{"case":"x","implementation":"y","ns":1,}"#, "--input: line 1: expected"),
        (#"{"case":"x","implementation":"y","ns":1,"threads":2}"#, "line 1: results of --threads are not supported"),
    ])
    func `rejects an invalid file and names the line`(text: String, message: String) async throws {
        let outcome = try await benchmark.run(["--input", "-"], input: text)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.contains(message))
        #expect(outcome.error.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["--input", "--baseline"])
    func `rejects a missing file before it measures`(option: String) async throws {
        let outcome = try await benchmark.run(option, "/nowhere/run.json")
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error == "signing-benchmark: \(option): cannot read the file: No such file or directory\n")
    }

    private func compare(_ now: [SavedResult], _ arguments: String...) async throws -> BuiltProgram.Outcome {
        let files = try Files()
        let baseline = try files.write(before.map(\.line).joined(), to: "baseline.json")
        let outcome = try await benchmark.run(
            ["--input", "-", "--baseline", baseline] + arguments, input: now.map(\.line).joined())
        return outcome
    }

    /// Returns the words of the last row of a case, which is in the comparison.
    private func words(_ outcome: BuiltProgram.Outcome, _ name: String) -> [Substring] {
        outcome.output.split(separator: "\n").last { $0.hasPrefix(name) }?.split(separator: " ") ?? []
    }
}
