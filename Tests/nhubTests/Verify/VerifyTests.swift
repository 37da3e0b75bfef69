import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

@testable import nhub

@Suite(.timeLimit(.minutes(30))) struct VerifyTests {
    @Test(arguments: HubEmulator.Tier.allCases, HubEmulator.Profile.allCases)
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
        let container = try await emulator.makeClient().feedbackContainer()
        let run = try VerifyRun(
            connection: .init(emulator.connectionString), hub: emulator.hubName, names: VerifyNames(),
            transport: emulator,
            container: container, options: .patient())
        var outcomes: [VerifyResult.Outcome] = []
        try await run.perform(VerifyStep.all.filter { ["access/token", "jobs/export"].contains($0.name) }) {
            outcomes.append($0.outcome)
        }
        #expect(outcomes == [.held, .held])
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
