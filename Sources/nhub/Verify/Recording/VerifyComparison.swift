import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature

/// The comparison of a run with the same steps on an emulated hub in this process.
struct VerifyComparison: Sendable {
    /// A difference, and the steps that show it.
    struct Finding: Hashable, Sendable {
        let difference: ExchangeComparison.Difference
        var steps: [String]
    }

    /// The result for an assumption of the emulator's article.
    struct Verdict: Hashable, Sendable {
        let step: String
        let assumption: String
        let isConfirmed: Bool
        /// The statuses, for a refuted assumption.
        let statuses: String
    }

    private(set) var equalCount = 0
    private(set) var equalButVariableCount = 0
    private(set) var findings: [Finding] = []
    private(set) var verdicts: [Verdict] = []
    /// The indices of the findings.
    private var indices: [ExchangeComparison.Difference: Int] = [:]

    /// The number of responses that differ.
    private(set) var differentCount = 0

    /// Compares the exchanges of each step.
    ///
    /// - Parameters:
    ///   - service: The exchanges with the hub, anonymized, by step.
    ///   - emulator: The exchanges with the emulator, anonymized, by step.
    init(service: [VerifyRecording.Step], emulator: [VerifyRecording.Step]) {
        let assumptions = Dictionary(VerifyStep.all.map { ($0.name, $0.assumption) }) { $1 }
        let unnumbered = VariableText.unnumbered()
        let emulated = Dictionary(emulator.map { ($0.name, $0.exchanges) }) { $1 }
        for step in service {
            let others = emulated[step.name] ?? []
            if step.exchanges.count != others.count {
                add(
                    .init(field: "requests", service: "\(step.exchanges.count)", emulator: "\(others.count)"), step.name
                )
            }
            for (service, emulator) in zip(step.exchanges, others) {
                let comparison = ExchangeComparison(
                    service: service, emulator: emulator, ignoring: ExchangeComparison.serverHeaders,
                    by: unnumbered)
                for difference in comparison.differences { add(difference, step.name) }
                if comparison.isEqual {
                    equalCount += 1
                } else if comparison.differences.isEmpty {
                    equalButVariableCount += 1
                } else {
                    differentCount += 1
                }
            }
            guard let assumption = assumptions[step.name] ?? nil, let left = step.exchanges.last?.response.line,
                let right = others.last?.response.line
            else { continue }
            verdicts.append(
                Verdict(
                    step: step.name, assumption: assumption, isConfirmed: left == right,
                    statuses: "the hub returned \(left), the emulator \(right)"))
        }
    }

    /// Compares a recording with a new emulator.
    init(replaying recording: VerifyRecording) async throws {
        let isPlain = recording.head.scheme == "http"
        let endpoint = try ServiceEndpoint(
            "\(recording.head.scheme)://verify-host.servicebus.windows.net", isDevelopmentEmulator: isPlain)
        let names = VerifyNames()
        let recorded = Set(recording.steps.map(\.name))
        let twin = try VerifyTwin(recording.head, endpoint: endpoint, hub: "verify-hub", names: names)
        let steps = VerifyStep.all.filter { recorded.contains($0.name) }
        let emulator = try await twin.exchanges(of: steps).map { step in
            VerifyRecording.Step(name: step.name, exchanges: step.exchanges.map(Anonymizer.recorded))
        }
        self.init(service: recording.steps, emulator: emulator)
    }

    private mutating func add(_ difference: ExchangeComparison.Difference, _ step: String) {
        if let index = indices[difference] {
            if findings[index].steps.last != step { findings[index].steps.append(step) }
        } else {
            indices[difference] = findings.count
            findings.append(Finding(difference: difference, steps: [step]))
        }
    }

    /// Whether all responses are equal, apart from IDs and times.
    var isEqual: Bool { findings.isEmpty }
}

/// An emulated hub that resembles a hub of a run, as the emulator's side of a comparison.
struct VerifyTwin {
    private let head: VerifyRecording.Head
    private let connection: ConnectionString
    private let emulator: HubEmulator
    private let names: VerifyNames
    private let keyName = "verify-policy"

    /// - Parameter endpoint: The endpoint of the hub, which responses contain.
    init(_ head: VerifyRecording.Head, endpoint: ServiceEndpoint, hub: NotificationHub.Name, names: VerifyNames) throws
    {
        (self.head, self.names) = (head, names)
        let policy = HubEmulator.AccessPolicy(name: keyName, rights: Set(head.rights.map(\.emulated)))
        emulator = HubEmulator(hubName: hub, policies: [policy], options: .init(tier: head.tier, profile: head.profile))
        let scheme = endpoint.isDevelopmentEmulator ? ";UseDevelopmentEmulator=true" : ""
        connection = try ConnectionString(policy.connectionString(endpoint: "\(endpoint)") + scheme)
    }

    /// Performs the steps, and returns their anonymized exchanges.
    func exchanges(of steps: [VerifyStep]) async throws -> [VerifyRecording.Step] {
        let run = try VerifyRun(
            connection: connection, hub: emulator.hubName, names: names, transport: emulator,
            patience: .init(limit: .zero, interval: .zero),
            // Calls in this process take no time, whatever the load.
            options: .init(deadline: .seconds(100_000), attemptTimeout: .seconds(100_000)))
        let anonymizer = Anonymizer(run.hub, keyName: keyName, names: names)
        var recorded: [VerifyRecording.Step] = []
        try await run.perform(steps) { recorded.append($0.anonymized(by: anonymizer)) }
        return recorded
    }
}

extension VerifyResult {
    /// Returns the exchanges without what identifies the hub.
    func anonymized(by anonymizer: Anonymizer) -> VerifyRecording.Step {
        .init(
            name: step.name, exchanges: exchanges.map { anonymizer.anonymized($0, keepsBodies: step.keepsBodies) })
    }
}

extension VerifyStep.Right {
    fileprivate var emulated: HubEmulator.AccessPolicy.Right {
        switch self {
        case .listen: .listen
        case .send: .send
        case .manage: .manage
        }
    }
}

extension VerifyRecording.Head {
    /// Infers the hub's properties from the results of a run.
    init(
        _ results: [VerifyResult], rights: [VerifyStep.Right: Bool], endpoint: ServiceEndpoint, date: String,
        region: String?
    ) {
        func isMissing(_ step: String) -> Bool {
            results.contains { $0.step.name == step && $0.outcome == .skipped(VerifyRun.missingInTier) }
        }
        tier = isMissing("messages/batch") ? .free : isMissing("messages/schedule") ? .basic : .standard
        let writes = results.filter { $0.step.name.hasPrefix("registrations/create-") }.flatMap(\.exchanges)
        profile =
            writes.contains { $0.response.headers["content-location"] != nil && $0.response.line == "200" }
            ? .service2022 : .service2024
        // A token of unknown rights is most probably one that has them.
        self.rights = Set(VerifyStep.Right.allCases.filter { rights[$0] ?? true })
        origin = endpoint.isDevelopmentEmulator || endpoint.isLoopback ? "emulator" : "hub"
        scheme = endpoint.isDevelopmentEmulator ? "http" : "https"
        (self.date, self.region) = (date, region)
    }
}
