import NotificationHubs
import NotificationHubsEmulator

/// The result of one step.
struct VerifyResult: Sendable {
    /// The end of a step.
    enum Outcome: Hashable, Sendable {
        case held
        case failed(String)
        case skipped(String)
    }

    let step: VerifyStep
    let outcome: Outcome
    let duration: Duration
    let exchanges: [Exchange]

    var hasHeld: Bool { outcome == .held }
    var isFailure: Bool { if case .failed = outcome { true } else { false } }
    var isSkipped: Bool { if case .skipped = outcome { true } else { false } }
}

extension VerifyRun {
    /// Performs steps, in order.
    ///
    /// The run ends early if the hub does not accept the token.
    ///
    /// - Parameter report: A closure that receives each result.
    /// - Throws: `CancellationError`.
    func perform(_ steps: [VerifyStep], report: (VerifyResult) throws -> Void) async throws {
        var held: Set<String> = []
        for step in steps {
            let start = ContinuousClock.now
            let outcome: VerifyResult.Outcome
            if let reason = reasonToSkip(step, held) {
                outcome = .skipped(reason)
            } else {
                outcome = try await perform(step)
            }
            try Task.checkCancellation()
            if outcome == .held { held.insert(step.name) }
            try report(
                VerifyResult(
                    step: step, outcome: outcome, duration: ContinuousClock.now - start,
                    exchanges: transport.takeExchanges()))
            // Without the token, no other response says anything.
            if step.name == "access/token", outcome != .held { return }
        }
    }

    /// The reason to skip a step for which the hub's tier is too low.
    static let missingInTier = "the hub's tier does not include this feature"

    private func reasonToSkip(_ step: VerifyStep, _ held: Set<String>) -> String? {
        if let requirement = step.requirement, !held.contains(requirement) { return "needs \(requirement)" }
        let missing = VerifyStep.Right.allCases.first { step.needs.contains($0) && rights[$0] == false }
        return missing.map { "the key's policy lacks the right to \($0.rawValue)" }
    }

    private func perform(_ step: VerifyStep) async throws -> VerifyResult.Outcome {
        do {
            try await step.action(self)
            return .held
        } catch let error as CancellationError {
            throw error
        } catch let error as StepSkipped {
            return .skipped(error.description)
        } catch let error as HubError where error.code == .notAvailableInTier {
            return .skipped(Self.missingInTier)
        } catch let error as HubTransportError where !error.isTimeout && error.delivery == .notSent {
            return .failed(error.description)
        } catch {
            return .failed(HubFailure.text(of: error))
        }
    }
}
