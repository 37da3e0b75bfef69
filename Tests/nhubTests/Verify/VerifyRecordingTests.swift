import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@testable import nhub

/// The recordings of hubs in `Fixtures/recorded-hubs`.
@Suite(.timeLimit(.minutes(30))) struct VerifyRecordingTests {
    private static let folder = Fixtures.root.appending(path: "Fixtures/recorded-hubs")
    private static let names: [String] = {
        let all = try? FileManager.default.contentsOfDirectory(atPath: folder.path())
        return (all ?? []).filter { $0.hasSuffix(".json") }.sorted()
    }()

    private static func recording(_ name: String) throws -> VerifyRecording {
        try VerifyRecording(Array(Data(contentsOf: folder.appending(path: name))))
    }

    /// The known differences of each recording, as `field STEP`; none for a recording that is not listed.
    private static let differences: [String: Set<String>] = [:]

    @Test func `has recordings`() { #expect(!Self.names.isEmpty) }

    @Test(arguments: names) func `finds no unknown difference from the emulator`(name: String) async throws {
        let recording = try Self.recording(name)
        let comparison = try await VerifyComparison(replaying: recording)
        let found = comparison.findings.flatMap { finding in finding.steps.map { "\(finding.difference.field) \($0)" } }
        #expect(Set(found) == Self.differences[name] ?? [])
        #expect(comparison.equalCount + comparison.equalButVariableCount > 100)
    }

    @Test(arguments: names) func `is listed in the article about differences`(name: String) throws {
        let head = try Self.recording(name).head
        let origin = head.origin == "emulator" ? "The emulator itself" : "A hub"
        let row =
            "| `\(name)` | \(origin) | \(head.date) | \(head.tier.rawValue) | \(head.region ?? "–") |"
        let article = Fixtures.root.appending(
            path: "Sources/NotificationHubsEmulator/NotificationHubsEmulator.docc/Differences.md")
        #expect(try String(contentsOf: article, encoding: .utf8).contains(row), "\(row)")
    }

    @Test(arguments: names) func `is as the command writes it`(name: String) throws {
        let bytes = try Array(Data(contentsOf: Self.folder.appending(path: name)))
        #expect(try VerifyRecording(bytes).bytes == bytes)
    }

    @Test func `finds a change of a recording`() async throws {
        var recording = try Self.recording(try #require(Self.names.first))
        let index = try #require(recording.steps.firstIndex { $0.name == "installations/get-apns" })
        var exchanges = recording.steps[index].exchanges
        exchanges[0].response.line = "203"
        recording.steps[index] = .init(name: "installations/get-apns", exchanges: exchanges)
        let comparison = try await VerifyComparison(replaying: recording)
        #expect(comparison.findings.map(\.difference.field) == ["status"])
    }

    @Test(arguments: [
        ("{}", "expected a recording of format 1, "), (#"{"format":2}"#, "expected a recording of format 1, "),
        (#"{"format":1,"date":"a"}"#, #"missing member "tier""#), (document(tier: "gold"), "unknown tier or profile"),
        (document(), "the recording has no exchanges"), (document(steps: "[1]"), "expected an object for each step"),
    ]) func `rejects a document that is not a recording`(_ text: String, problem: String) {
        let error = #expect(throws: VerifyRecording.FormatError.self) { try VerifyRecording(Array(text.utf8)) }
        #expect(error?.description.hasPrefix(problem) == true, "\(error?.description ?? "")")
    }

    @Test func `rejects a document that is not JSON`() {
        #expect(throws: JSONValue.ParseError.self) { try VerifyRecording([]) }
    }

    private static func document(tier: String = "free", steps: String = "[]") -> String {
        #"{"format":1,"date":"2026-11-28","origin":"hub","tier":"\#(tier)","profile":"2024","scheme":"https","#
            + #""rights":[],"steps":\#(steps)}"#
    }
}
