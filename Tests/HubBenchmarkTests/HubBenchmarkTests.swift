import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct HubBenchmarkTests {
    let benchmark = BuiltProgram(product: "hub-benchmark")

    @Test func `measures every case and describes the machine`() async throws {
        let outcome = try await benchmark.run("--count", "20", "--in-flight", "8")
        #expect(outcome.status == 0)
        #expect(outcome.error == "")
        let lines = outcome.output.split(separator: "\n")
        let words = lines.map { String($0.prefix { $0 != " " }) }
        #expect(words.prefix(6) == ["CPU", "System", "Swift", "Process", "Memory", "case"])
        #expect(
            words.dropFirst(6) == [
                "upserts/http", "sends/http", "upserts/in-process", "tag-sends", "payloads/problems",
                "payloads/write-and-parse", "decode/installation", "decode/foundation", "decode/decodable",
                "encode/installation", "encode/foundation", "decode/registrations", "decode/template-problems",
            ])
    }

    private struct Line: Decodable {
        var `case`: String
        var count: Int
        var inFlight: Int
        var callsPerSecond: Double
        var cpuMicrosecondsPerCall: Double
        var p50: Double
        var p99: Double
        var p999: Double
        var allocatedGrowth: Int?
        var allocatedBytesPerCall: Double?
        var residentAfterWarmUp: Int?
        var residentAtEnd: Int?
        var growth: Int?
        var peak: Int?
    }

    private func lines(_ outcome: BuiltProgram.Outcome) throws -> [Line] {
        try outcome.output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test func `writes a JSON object per line`() async throws {
        let lines = try lines(
            await benchmark.run("--json", "--count", "40", "--in-flight=4", "--filter", "in-process"))
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect((line.case, line.count, line.inFlight) == ("upserts/in-process", 40, 4))
        #expect(line.callsPerSecond > 0 && line.cpuMicrosecondsPerCall > 0)
        #expect(line.p50 > 0 && line.p99 >= line.p50 && line.p999 >= line.p99)
        #if os(Linux)
        #expect(line.growth == line.residentAtEnd.flatMap { end in line.residentAfterWarmUp.map { end - $0 } })
        #expect((line.peak ?? 0) >= (line.residentAtEnd ?? 1))
        let growth = try #require(line.allocatedGrowth)
        #expect(try abs(#require(line.allocatedBytesPerCall) - Double(growth) / 40) < 0.1)
        #endif
    }

    static let hasNginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"]
        .contains { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(.enabled(if: hasNginx)) func `runs the HTTP cases over TLS and removes its files`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let outcome = try await benchmark.run(
            ["--tls", "--json", "--count", "40", "--in-flight", "4"], environment: ["TMPDIR": folder.path])
        #expect(outcome.status == 0)
        #expect(outcome.error == "")
        #expect(try lines(outcome).map(\.case) == ["upserts/https", "sends/https"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(.enabled(if: !hasNginx)) func `names the package to install for TLS`() async throws {
        let outcome = try await benchmark.run("--tls", "--count", "1")
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("install the package nginx"))
    }

    @Test func `shows its help and its version`() async throws {
        let help = try await benchmark.run("--help").output
        for word in [
            "--count", "--in-flight", "--filter", "--tls", "--json", "--version", "upserts/http", "sends/http", "p999",
            "Client and hub share the process",
        ] {
            #expect(help.contains(word))
        }
        #expect(try await benchmark.run("--version").output == "hub-benchmark \(BuiltProgram.version)\n")
    }

    @Test(arguments: [
        (["--bogus"], "unknown option: \"--bogus\""),
        (["--count", "0"], "--count: expected a number from 1 to 10000000; got \"0\""),
        (["--in-flight", "1025"], "--in-flight: expected a number from 1 to 1024; got \"1025\""),
        (["--filter", "--json", "http"], "--filter requires a value"),
        (["--filter", "md5"], "--filter: no case name contains \"md5\""),
    ])
    func `rejects an invalid command line`(words: [String], message: String) async throws {
        let outcome = try await benchmark.run(words)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("hub-benchmark: "))
        #expect(outcome.error.contains(message))
    }
}
