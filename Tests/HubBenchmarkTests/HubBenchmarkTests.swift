import Foundation
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct HubBenchmarkTests {
    let benchmark = BuiltProgram(product: "hub-benchmark")

    @Test func `measures every case, and says on what`() async throws {
        let outcome = try await benchmark.run("--count", "60", "--in-flight", "8")
        #expect(outcome.status == 0)
        #expect(outcome.error == "")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.prefix(4).map { $0.prefix { $0 != " " } } == ["CPU", "System", "Swift", "Memory"])
        #expect(
            lines.dropFirst(5).map { $0.prefix { $0 != " " } } == ["upserts/http", "upserts/in-process", "tag-sends"])
    }

    @Test func `writes a JSON object a line`() async throws {
        struct Line: Decodable {
            var `case`: String
            var count: Int
            var inFlight: Int
            var callsPerSecond: Double
            var p50: Double
            var p99: Double
            var residentAfterWarmUp: Int?
            var residentAtEnd: Int?
            var growth: Int?
            var peak: Int?
        }
        let outcome = try await benchmark.run("--json", "--count", "40", "--in-flight=4", "--filter", "in-process")
        let lines = try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect((line.case, line.count, line.inFlight) == ("upserts/in-process", 40, 4))
        #expect(line.callsPerSecond > 0 && line.p50 > 0 && line.p99 >= line.p50)
        #if os(Linux)
        #expect(line.growth == line.residentAtEnd.flatMap { end in line.residentAfterWarmUp.map { end - $0 } })
        #expect((line.peak ?? 0) >= (line.residentAtEnd ?? 1))
        #endif
    }

    @Test func `shows its help and its version`() async throws {
        let help = try await benchmark.run("--help").output
        for word in [
            "--count", "--in-flight", "--filter", "--json", "--version", "upserts/http", "processors, and its time",
        ] {
            #expect(help.contains(word))
        }
        #expect(try await benchmark.run("--version").output == "hub-benchmark 0.1.0\n")
    }

    @Test(arguments: [
        (["--bogus"], "the option \"--bogus\" is unknown"), (["--count", "0"], "--count wants a number"),
        (["--in-flight", "1025"], "--in-flight wants a number from 1 to 1024"),
        (["--filter", "--json", "http"], "--filter needs a value"),
        (["--filter", "md5"], "no case's name contains \"md5\""),
    ])
    func `takes bad usage for what it is`(words: [String], message: String) async throws {
        let outcome = try await benchmark.run(words)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("hub-benchmark: "))
        #expect(outcome.error.contains(message))
    }
}
