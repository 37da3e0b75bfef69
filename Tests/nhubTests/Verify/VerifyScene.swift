import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

@testable import nhub

/// A run of `nhub verify` against an emulated hub in this process.
struct VerifyScene {
    let emulator: HubEmulator
    let names = VerifyNames()
    let run: VerifyRun

    /// - Parameter deviation: What the hub does differently.
    init(
        tier: HubEmulator.Tier = .standard, profile: HubEmulator.Profile = .service2024,
        policies: [HubEmulator.AccessPolicy] = HubEmulator.AccessPolicy.defaults(), deviation: Deviation? = nil
    ) throws {
        emulator = HubEmulator(hubName: "contoso-hub", policies: policies, options: .init(tier: tier, profile: profile))
        let transport: any HubTransport =
            if let deviation { DeviatingHub(emulator: emulator, deviation: deviation, names: names) } else { emulator }
        run = try VerifyRun(
            connection: ConnectionString(emulator.connectionString), hub: emulator.hubName, names: names,
            transport: transport, patience: .init(limit: .zero, interval: .zero), options: .patient())
    }

    /// The results of a run.
    struct Outcome {
        let results: [VerifyResult]
        let left: [String]
        let recording: VerifyRecording
        let comparison: VerifyComparison

        /// The steps that failed, with the reasons.
        var failures: [String] {
            results.compactMap {
                if case .failed(let reason) = $0.outcome { "\($0.step.name): \(reason)" } else { nil }
            }
        }

        /// The steps that were skipped, with the reasons.
        var skipped: [String] {
            results.compactMap {
                if case .skipped(let reason) = $0.outcome { "\($0.step.name): \(reason)" } else { nil }
            }
        }

        /// The differences, as `field STEP`.
        var differences: [String] {
            comparison.findings.flatMap { finding in finding.steps.map { "\(finding.difference.field) \($0)" } }
        }

        /// Everything that the report names.
        var findings: [String] {
            failures + skipped + differences + left
                + comparison.verdicts.filter { !$0.isConfirmed }.map { "refuted \($0.step)" }
        }
    }

    /// Performs steps, and compares them with those of an unchanged emulator.
    func perform(_ steps: [VerifyStep] = VerifyStep.all) async throws -> Outcome {
        var results: [VerifyResult] = []
        try await run.perform(steps) { results.append($0) }
        let left = await VerifyCleanUp(run).removeEverything()
        let (recording, comparison) = try await VerifyCommand.compare(
            results, of: run, keyName: nil, date: "2026-11-28", region: nil)
        return Outcome(results: results, left: left, recording: recording, comparison: comparison)
    }
}

/// A difference of a hub from the emulator.
struct Deviation: Sendable, CustomTestStringConvertible {
    let name: String
    /// The steps to run, by the start of their names. The steps that they need run, too.
    let steps: [String]
    /// A part of what the report must name.
    let finding: String
    /// Returns the response to a request, or `nil` for that of the emulator. The closure performs a request.
    let respond:
        @Sendable (HubRequest, VerifyNames, (HubRequest) async throws -> HubResponse) async throws -> HubResponse?

    var testDescription: String { name }
}

/// A hub with a deviation.
private struct DeviatingHub: HubTransport {
    let emulator: HubEmulator
    let deviation: Deviation
    let names: VerifyNames

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        let perform: (HubRequest) async throws -> HubResponse = { try await emulator.send($0, timeout: timeout) }
        return if let response = try await deviation.respond(request, names, perform) {
            response
        } else {
            try await perform(request)
        }
    }
}
