import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

@testable import nhub

@Suite(.timeLimit(.minutes(30))) struct VerifyTests {
    private static let services = HubEmulator.Tier.allCases.flatMap { tier in
        HubEmulator.Profile.allCases.map { (tier, $0) }
    }

    @Test(arguments: representatives(services, count: 3))
    func `holds on every tier and profile, and leaves nothing`(
        tier: HubEmulator.Tier, profile: HubEmulator.Profile
    ) async throws {
        let scene = try VerifyScene(tier: tier, profile: profile)
        let outcome = try await scene.perform()
        #expect(outcome.failures == [])
        #expect(outcome.left == [])
        #expect(outcome.differences == [])
        #expect(outcome.comparison.verdicts.filter { !$0.isConfirmed } == [])
        #expect(outcome.recording.head.tier == tier)
        #expect(outcome.recording.head.profile == profile)
        #expect(scene.emulator.installations.isEmpty)
        #expect(scene.emulator.usage.registrationCount == 0)
        let skipped = Set(outcome.results.filter(\.isSkipped).map(\.step.name))
        let batch: Set = tier == .free ? ["messages/batch"] : []
        let standard: Set =
            tier == .standard
            ? []
            : [
                "messages/schedule", "messages/cancel", "messages/outcome", "messages/unknown-outcome",
                "messages/schedule-past", "messages/cancel-unknown", "feedback/container", "jobs/list",
            ]
        #expect(skipped == batch.union(standard).union(["jobs/export"]))
    }

    @Test(
        arguments: [
            ([.listen], ["messages/template", "registrations/list-by-tag", "jobs/list"]),
            ([.listen, .send], ["registrations/list-by-tag", "jobs/list"]),
            ([.send], ["installations/put-apns", "registrations/create-apns", "jobs/list"]),
        ] as [(Set<HubEmulator.AccessPolicy.Right>, [String])])
    func `skips what the key may not do, and says which right it lacks`(
        rights: Set<HubEmulator.AccessPolicy.Right>, skipped: [String]
    ) async throws {
        let scene = try VerifyScene(policies: [.init(name: "policy", rights: rights)])
        let outcome = try await scene.perform()
        #expect(outcome.failures == [])
        #expect(outcome.left == [])
        #expect(outcome.differences == [])
        for name in skipped {
            #expect(
                outcome.skipped.contains { $0.hasPrefix("\(name): the key's policy lacks the ") }, "\(name)")
        }
        #expect(scene.emulator.installations.isEmpty && scene.emulator.usage.registrationCount == 0)
    }

    @Test func `ends after the first step if the hub does not accept the token`() async throws {
        let scene = try VerifyScene(
            deviation: Deviation(name: "", steps: [], finding: "") { _, _, _ in HubResponse(status: 401) })
        let outcome = try await scene.perform()
        #expect(outcome.results.map(\.step.name) == ["access/token"])
        #expect(outcome.failures.count == 1)
        #expect(outcome.left == [])
    }

    @Test func `exports into a container of the hub`() async throws {
        let emulator = HubEmulator(hubName: "contoso-hub")
        #expect(try await outcomesOfExport(from: emulator, through: emulator) == [.held, .held, .held])
    }

    /// Each case changes the exported file.
    @Test(
        arguments: [
            ("the exported file lacks the run's registrations", "verify-", "other-"),
            (
                "an exported registration cannot be read: 'line/RegistrationDescription/Registration' is",
                "RegistrationId", "Registration"
            ),
            ("an exported registration cannot be read: the XML is malformed", "</Tags>", ""),
        ])
    func `finds a wrong export`(finding: String, text: String, replacement: String) async throws {
        let emulator = HubEmulator(hubName: "contoso-hub")
        let transport = ChangedFiles(base: emulator) {
            Array(String(decoding: $0, as: UTF8.self).replacing(text, with: replacement).utf8)
        }
        guard case .failed(let reason)? = try await outcomesOfExport(from: emulator, through: transport).last else {
            Issue.record("the export held")
            return
        }
        #expect(reason.hasPrefix(finding))
    }

    private func outcomesOfExport(
        from emulator: HubEmulator, through transport: any HubTransport
    ) async throws -> [VerifyResult.Outcome] {
        let container = try await emulator.makeClient().feedbackContainer()
        let run = try VerifyRun(
            connection: .init(emulator.connectionString), hub: emulator.hubName, names: VerifyNames(),
            transport: transport, container: container, options: .patient())
        var outcomes: [VerifyResult.Outcome] = []
        let names = ["access/token", "installations/put-apns", "jobs/export"]
        try await run.perform(VerifyStep.all.filter { names.contains($0.name) }) { outcomes.append($0.outcome) }
        return outcomes
    }

    @Test func `names each step once, after the step that it needs`() {
        var names: Set<String> = []
        for step in VerifyStep.all {
            if let requirement = step.requirement { #expect(names.contains(requirement), "\(step.name)") }
            #expect(names.insert(step.name).inserted, "\(step.name)")
        }
        #expect(
            VerifyStep.groups == [
                "access", "installations", "registrations", "messages", "feedback", "jobs", "removal",
            ])
    }

    @Test func `tests assumptions of the article`() throws {
        let folder = "Sources/NotificationHubsEmulator/NotificationHubsEmulator.docc"
        let article = try String(contentsOf: Fixtures.root.appending(path: "\(folder)/Assumptions.md"), encoding: .utf8)
        let cells = Set(
            article.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { row in
                row.dropFirst(2).replacing("\\|", with: "\u{0}").prefix { $0 != "|" }.replacing("\u{0}", with: "\\|")
                    .trimmingCharacters(in: .whitespaces)
            })
        let assumptions = VerifyStep.all.compactMap(\.assumption)
        #expect(assumptions.count > 20)
        for assumption in assumptions { #expect(cells.contains(assumption), "\(assumption)") }
    }
}

/// A transport that changes the files of storage.
private struct ChangedFiles: HubTransport {
    let base: HubEmulator
    let change: @Sendable ([UInt8]) -> [UInt8]

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        let response = try await base.send(request, timeout: timeout)
        guard request.path.hasSuffix("Output.txt") else { return response }
        // Without a range, the response is the whole file.
        return HubResponse(status: 200, headers: response.headers, body: change(response.body))
    }
}
