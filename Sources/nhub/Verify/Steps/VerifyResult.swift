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

    var isFailure: Bool { if case .failed = outcome { true } else { false } }
    var isSkipped: Bool { outcome.isSkipped }
}

extension VerifyResult.Outcome {
    var isSkipped: Bool { if case .skipped = self { true } else { false } }
}

/// An error for a hub that has stopped responding during a run.
struct NoResponseError: Error, CustomStringConvertible {
    var description: String { "the hub does not respond: the run ends" }
}

extension VerifyRun {
    /// Performs steps, in order.
    ///
    /// The run ends early if the hub does not accept the token, or returns registrations of others for the run's tag.
    ///
    /// - Parameter report: A closure that receives each result.
    /// - Throws: `CancellationError`, or ``NoResponseError``.
    func perform(_ steps: [VerifyStep], report: (VerifyResult) throws -> Void) async throws {
        var held: Set<String> = []
        var silentStepCount = 0
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
            let exchanges = transport.takeExchanges()
            let exchangeCount = exchanges.count
            try report(
                VerifyResult(
                    step: step, outcome: outcome, duration: ContinuousClock.now - start, exchanges: exchanges))
            // Without the token, no other response says anything. A hub that ignores tags must not be changed.
            if ["access/token", "access/random-tag"].contains(step.name), case .failed = outcome { return }
            silentStepCount = exchangeCount == 0 && !outcome.isSkipped ? silentStepCount + 1 : 0
            if silentStepCount == Self.maximumSilentStepCount { throw NoResponseError() }
        }
    }

    /// The number of consecutive steps without a response after which the run ends.
    private static let maximumSilentStepCount = 3

    /// The reason to skip a step for which the hub's tier is too low.
    static let missingInTier = "the hub's tier does not include this feature"

    private func reasonToSkip(_ step: VerifyStep, _ held: Set<String>) -> String? {
        if let requirement = step.requirement, !held.contains(requirement) { return "needs \(requirement)" }
        let missing = VerifyStep.Right.allCases.first { step.needs.contains($0) && rights[$0] == false }
        return missing.map { "the key's policy lacks the \($0.title) right" }
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
