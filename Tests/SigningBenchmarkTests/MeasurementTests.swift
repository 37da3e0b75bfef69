import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30)), .needsAllocator) struct MeasurementTests {
    let benchmark = BuiltProgram(product: "signing-benchmark")

    static let cases = [
        "sha256/0", "sha256/64", "sha256/1024", "sha256/1048576", "sha256-portable/1048576", "hmac-one-shot/71",
        "hmac-prepared/71", "hmac-verify/71", "sha256-batch/1024", "hmac-batch/71", "hmac-batch-of-one/71",
        "sha256-batch-array/1024", "hmac-batch-array/71",
        "sas-token", "sas-token-batch", "sas-verify", "sas-verify-header", "sas-verify-batch",
    ]

    struct Line: Decodable {
        let `case`: String
        let implementation: String
        let kernel: String?
        let ns: Double
        let bytes: Int
        let machine: String
        let commit: String?
        let allocations: Double?
        let threads: Int?
        let operationsPerSecond: Double?
    }

    @Test func `measures every case`() async throws {
        let lines = try await lines()
        #expect(lines.map(\.case) == Self.cases)
        #expect(lines.allSatisfy { $0.ns > 0 && $0.kernel != nil })
        #expect(lines.first { $0.case == "sha256/1048576" }?.bytes == 1_048_576)
        #expect(lines.first { $0.case == "hmac-prepared/71" }?.bytes == 71)
    }

    @Test func `reports the machine, and the commit if the current directory is the repository`() async throws {
        let line = try #require(await lines("--filter", "sha256/64").first)
        #expect(line.machine.contains("processors; "))
        #expect(line.machine.hasSuffix(" build"))
        let isRepository = FileManager.default.fileExists(atPath: "Benchmarks/signing-benchmark")
        #expect(isRepository || line.commit == nil)
        if let commit = line.commit { #expect(commit.wholeMatch(of: /[0-9a-f]{40}(-dirty)?/) != nil) }
    }

    #if os(Linux)
    @Test func `reports no allocations for hashing, signing and verifying codes`() async throws {
        let lines = try await lines("--filter", "/").filter { !$0.case.contains("-batch") }
        #expect(lines.count == 8)
        for line in lines { #expect(line.allocations == 0, "\(line.case)") }
    }

    #if !DEBUG
    @Test func `reports only the array allocation of a batch`() async throws {
        for line in try await lines("--filter", "-batch") where !line.case.hasPrefix("sas-") {
            #expect(line.allocations == (line.case.contains("-array/") ? 1.0 / 16 : 0), "\(line.case)")
        }
    }

    @Test func `reports one allocation per token, one per batch and none for verifying`() async throws {
        let expected: [String: Double] = [
            "sas-token": 1, "sas-token-batch": 0.0625, "sas-verify": 0, "sas-verify-header": 0,
        ]
        let lines = try await lines("--filter", "sas-").filter { expected[$0.case] != nil }
        #expect(lines.count == expected.count)
        for line in lines { #expect(line.allocations == expected[line.case], "\(line.case)") }
    }
    #endif

    @Test func `counts allocations`() async throws {
        let line = try #require(await lines("--filter", "sas-token").first)
        #expect(try #require(line.allocations) >= 1, "a token's text is heap-allocated")
    }
    #endif

    @Test func `measures the given kernel`() async throws {
        let outcome = try await benchmark.run("--json", "--rounds", "1", "--kernel", "portable")
        #expect(outcome.status == 0)
        let lines = try decode(outcome)
        #expect(lines.count > 5)
        #expect(lines.allSatisfy { $0.kernel == "portable" })
        #expect(outcome.error.contains("skipping hmac-one-shot"))
    }

    @Test func `measures the cases that match the filter`() async throws {
        #expect(try await lines("--filter", "sha256/1").map(\.case) == ["sha256/1024", "sha256/1048576"])
    }

    @Test func `compares with OpenSSL`() async throws {
        let outcome = try await benchmark.run("--json", "--rounds=1", "--filter=sha256/64", "--compare")
        let lines = try decode(outcome)
        if outcome.status == 0 {
            #expect(lines.map(\.implementation) == ["HubCrypto", "OpenSSL SHA256_CTX"])
        } else {
            expectMissingLibrary(outcome)
        }
    }

    @Test func `reports a missing libcrypto`() async throws {
        expectMissingLibrary(
            try await benchmark.run("--rounds=1", "--filter=sha256/64", "--compare", "--libcrypto=/nowhere/libcrypto"))
    }

    @Test func `measures one thread and all processors`() async throws {
        let lines = try await lines("--threads", "all")
        let processorCount = ProcessInfo.processInfo.activeProcessorCount
        for name in ["hmac-prepared/71", "sas-token", "sas-verify", "sas-verify-header"] {
            let threads = lines.filter { $0.case == name }.map(\.threads)
            #expect(threads.first == 1)
            #expect(threads.last == processorCount)
        }
        #expect(lines.allSatisfy { $0.operationsPerSecond ?? 0 > 0 })
    }

    @Test func `writes a table and describes the machine`() async throws {
        let outcome = try await benchmark.run("--rounds", "1", "--filter", "sha256/")
        #expect(outcome.error.isEmpty)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.prefix(3).map { $0.prefix(6) } == ["CPU   ", "System", "Swift "])
        #expect(lines.count == 8)
        #expect(lines[3].contains("op/s     MB/s"))
    }

    private func lines(_ arguments: String...) async throws -> [Line] {
        let outcome = try await benchmark.run(["--json", "--rounds", "1"] + arguments)
        #expect(outcome.status == 0)
        #expect(outcome.error.isEmpty)
        return try decode(outcome)
    }

    private func decode(_ outcome: BuiltProgram.Outcome) throws -> [Line] {
        try outcome.output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    private func expectMissingLibrary(_ outcome: BuiltProgram.Outcome) {
        #expect(outcome.status == 1)
        #expect(outcome.error.hasPrefix("signing-benchmark: cannot load libcrypto: "))
        #expect(outcome.error.split(separator: "\n").count == 1)
        #expect(outcome.output.contains("sha256/64"), "the package is measured anyway")
    }
}
