import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30)), .needsAllocator) struct ReportTests {
    let benchmark = BuiltProgram(product: "signing-benchmark")

    @Test func `shows operations and megabytes per second`() async throws {
        let output = try await benchmark.report([SavedResult(name: "sha256/1024", ns: 512)]).output
        let lines = output.split(separator: "\n")
        #expect(lines[0] == "Machine  Test CPU, 4 processors; TestOS 1.0; Swift 6.3")
        #expect(lines[1] == "Commit   0123456789abcdef0123456789abcdef01234567")
        #expect(
            lines[2].split(separator: " ") == ["case", "ns", "median", "op/s", "MB/s", "kernel", "allocations"])
        #expect(
            lines[3].split(separator: " ")
                == ["sha256/1024", "512.0", "512.0", "1", "953", "125", "2", "000", "portable", "0"])
    }

    @Test func `marks a median more than 25 percent above the best time`() async throws {
        let noisy = SavedResult(name: "sha256/64", ns: 100, median: 126)
        let calm = SavedResult(name: "sha256/1024", ns: 100, median: 125)
        let output = try await benchmark.report([noisy, calm]).output
        #expect(output.contains(" 126.0~ "))
        #expect(output.contains(" 125.0  "))
        #expect(output.contains("\n~ The median is more than 25 % above the best time: "))
        #expect(!(try await benchmark.report([calm]).output.contains("~")))
    }

    @Test(arguments: [
        (312.5, "3.2 million"), (1000.4, "1.0 million"), (1250.0, "800 thousand"), (2e6, "500"),
    ])
    func `shows tokens per second in words`(ns: Double, number: String) async throws {
        let token = SavedResult(name: "sas-token", ns: ns, implementation: "SharedAccessSignature")
        #expect(try await benchmark.report([token]).output.hasSuffix("\n\(number) tokens a second on one core.\n"))
    }

    @Test func `compares saved results with OpenSSL`() async throws {
        let output = try await benchmark.report([
            SavedResult(name: "sha256/64", ns: 100),
            SavedResult(name: "sha256/64", ns: 150, implementation: "OpenSSL SHA256_CTX"),
        ]).output
        #expect(output.contains("SHA256_CTX"))
        #expect(output.contains(" 1.50\n"))
    }

    @Test func `writes a Markdown table with the machine first and a column per other library`() async throws {
        let outcome = try await benchmark.report(
            [
                SavedResult(name: "sha256/64", ns: 100, median: 130),
                SavedResult(name: "sas-token", ns: 312.5, implementation: "SharedAccessSignature"),
                SavedResult(name: "sas-token", ns: 5000, implementation: "Peer|1.0"),
            ], "--markdown")
        #expect(outcome.status == 0)
        #expect(
            outcome.output == #"""
                Test CPU, 4 processors; TestOS 1.0; Swift 6.3; commit 0123456789abcdef0123456789abcdef01234567

                | Case | ns | Median | op/s | MB/s | Kernel | Allocations | Peer\|1.0, ns |
                | --- | --: | --: | --: | --: | --- | --: | --: |
                | `sha256/64` | 100.0 | 130.0 \~ | 10 000 000 | 10 240 | portable | 0 |  |
                | `sas-token` | 312.5 | 312.5 | 3 200 000 | 3 277 | portable | 0 | 5000.0 |

                \~ The median is more than 25 % above the best time: other work disturbed it.

                3.2 million tokens a second on one core.

                """#)
    }

    @Test func `adds the comparison with a baseline to Markdown`() async throws {
        let files = try Files()
        let baseline = try files.write(SavedResult(name: "sha256/64", ns: 50).line, to: "baseline.json")
        let outcome = try await benchmark.report(
            [SavedResult(name: "sha256/64", ns: 100)], "--markdown", "--baseline", baseline)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("\n| sha256/64 | 50.0 | 100.0 | 2.00 | slower |\n"))
    }

    @Test func `writes no escape sequences`() async throws {
        let output = try await benchmark.report([SavedResult(name: "sha256/64", ns: 100, median: 200)]).output
        #expect(!output.contains("\u{1b}"))
    }
}
