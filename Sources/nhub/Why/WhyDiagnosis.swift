import HubCommandLine
import HubText
import NotificationHubs

/// The causes of a situation, in the order of their importance. It does no I/O.
struct WhyDiagnosis {
    /// The causes. The first one explains the others, or concerns more devices.
    let causes: [WhyCause]

    /// Finds the causes of a situation.
    init(_ situation: WhySituation) {
        let finder = CauseFinder(situation: situation)
        var causes = finder.messageCauses + finder.platformCauses
        causes += [finder.precedence].compactMap(\.self)
        causes += situation.matches.isEmpty ? finder.targetCauses : finder.deviceCauses
        self.causes = causes
    }

    /// Returns the answer in one line.
    func summary(of situation: WhySituation) -> String {
        if let first = causes.first { return "\(first)" }
        let count = situation.recipients.count
        let message = situation.question.format == nil ? "a message" : "the message"
        return "\(count) \(count == 1 ? "device" : "devices") would receive \(message)"
    }
}

private struct CauseFinder {
    let situation: WhySituation

    private var question: WhyQuestion { situation.question }

    /// The causes that concern the message as a whole.
    var messageCauses: [WhyCause] {
        if let outcome = situation.outcome { return [cause(of: outcome)].compactMap(\.self) }
        guard let rejection = situation.rejection else { return [] }
        switch rejection.status {
        case 429: return [.throttled]
        case 403:
            let namesQuota = Array((rejection.detail ?? "").utf8).firstIndex(ignoringCase: "quota") != nil
            return [.quota(isCertain: namesQuota || rejection.isOwn && situation.hasManageRight)]
        case let status: return [.rejected(status: status, detail: rejection.detail)]
        }
    }

    /// The cause that an outcome's state names.
    private func cause(of outcome: PushNotification.Outcome) -> WhyCause? {
        switch outcome.state {
        case .scheduled?:
            let id = outcome.notificationID?.rawValue
            return .scheduled(due: situation.scheduled.first { $0.id == id }?.due)
        case .cancelled?: return .cancelled
        case .abandoned?: return .abandoned
        // The target is the cause, unless it has devices now.
        case .noTargetFound?: return situation.matches.isEmpty ? nil : .noTargetAtSend
        case .enqueued?: return .unfinished(.enqueued)
        case .processing?: return .unfinished(.processing)
        default: return nil
        }
    }

    /// The platforms' rejections of the message or of a test.
    var platformCauses: [WhyCause] {
        var causes: [WhyCause] = []
        let counts = situation.outcome?.counts.sorted { $0.key.rawValue < $1.key.rawValue } ?? []
        for (platform, results) in counts {
            for (result, count) in results.sorted(by: { $0.key.rawValue < $1.key.rawValue })
            where result != .success && count > 0 {
                causes.append(.platform(platform, result: "\(result)", devices: devices(result), count: count))
            }
        }
        guard causes.isEmpty else { return causes }
        for result in situation.testResults {
            guard let platform = result.platform, let text = result.outcome, !text.isSuccess else { continue }
            let isCounted = causes.contains {
                if case .platform(platform, text, _, _) = $0 { true } else { false }
            }
            guard !isCounted else { continue }
            let count = situation.testResults.count { $0.platform == platform && $0.outcome == text }
            causes.append(.platform(platform, result: text, devices: [], count: count))
        }
        return causes
    }

    /// The feedback on the message.
    private var feedback: [PushFeedback] {
        situation.feedback.filter { $0.notificationID != nil && $0.notificationID == situation.outcome?.notificationID }
    }

    /// The devices with a result, from the feedback on the message.
    private func devices(_ result: PushNotification.Outcome.DeliveryResult) -> [String] {
        let ids = feedback.filter { $0.result == result }
            .compactMap { $0.installationID?.rawValue ?? $0.registrationID?.rawValue }
        return Set(ids).sorted()
    }

    /// The cause if the expression mixes operators, and the other grouping matches other devices.
    var precedence: WhyCause? {
        guard question.option == .expression, let groups = TagPrecedence(question.value),
            let alternative = try? TagExpression(validating: groups.alternative)
        else { return nil }
        let matches = situation.matches
        let others = situation.devices.filter { !$0.parts(of: alternative, receiving: nil).isEmpty }
        guard matches != others else { return nil }
        return .precedence(groups, count: matches.count, alternativeCount: others.count)
    }

    /// The causes of a target without devices.
    var targetCauses: [WhyCause] {
        guard let node = question.expression?.node else { return [.noDevices] }
        let operands = node.operands
        let counts = operands.map { operand in
            WhyCause.TagCount(
                tag: operand.text,
                count: situation.devices.count { $0.parts.contains { $0.tags.contains(operand.text) } })
        }
        let causes = zip(operands, counts).filter { $1.count == 0 }.map { missing($0.0) }
        return causes.isEmpty ? [.noCombination(counts)] : causes
    }

    private func missing(_ operand: TagExpression.Node) -> WhyCause {
        switch operand {
        case .installation(let id):
            let known = situation.devices.filter(\.isInstallation).map(\.id)
            return .noInstallation(
                id.rawValue, similar: known.mostSimilar(to: id.rawValue), readCount: situation.readCount)
        case .user(let id):
            let known = situation.devices.reduce(into: Set<String>()) { $0.formUnion($1.users) }
            return .noUser(id.rawValue, similar: known.mostSimilar(to: id.rawValue), readCount: situation.readCount)
        default:
            let tag = operand.text
            for (prefix, option) in [("userid:", OptionName.user), ("installationid:", .installation)]
            where tag.utf8.starts(ignoringCase: prefix) && tag.utf8.count > prefix.utf8.count {
                let id = Substring(tag.utf8.dropFirst(prefix.utf8.count))
                return .misspelledOperand(tag: tag, option: option, id: String(id))
            }
            let known = situation.devices.reduce(into: Set<String>()) { $0.formUnion($1.tags) }
            return .noTag(
                tag, similar: known.mostSimilar(to: tag), known: known.sorted(), readCount: situation.readCount)
        }
    }

    /// The causes that concern devices of the target.
    var deviceCauses: [WhyCause] {
        let matches = situation.matches
        let expired = matches.filter { $0.expiry != nil }
        var causes: [WhyCause] = []
        for isChannel in [true, false] {
            let devices = expired.filter { ($0.expiry == .channel) == isChannel }.map(\.id)
            if !devices.isEmpty {
                causes.append(.expired(devices, isChannel: isChannel, isAll: expired.count == matches.count))
            }
        }
        let alive = matches.filter { $0.expiry == nil }
        guard let format = question.format, !alive.isEmpty else { return causes }
        let unfit = alive.filter { $0.parts(of: question.expression, receiving: format).isEmpty }
        if let platform = format.platform {
            if unfit.count == alive.count {
                let actual = Set(alive.map(\.platform)).sorted { $0.format < $1.format }
                causes.append(.wrongPlatform(platform, actual: actual, count: alive.count))
            }
        } else if !unfit.isEmpty {
            causes.append(.noTemplate(count: unfit.count, isAll: unfit.count == alive.count))
        }
        let platforms = Set(situation.recipients.map(\.platform)).sorted { $0.format < $1.format }
        if let credentials = situation.credentials {
            causes += platforms.filter { !credentials.contains($0) }.map { .noCredentials($0) }
        }
        return causes + problemCauses + templateCauses
    }

    /// The messages that a platform will refuse or no device will show, each once.
    private var problemCauses: [WhyCause] {
        let recipients = situation.recipients
        let failures = question.problems.filter { $0.severity == .failure }
        if !recipients.isEmpty, !failures.isEmpty {
            return failures.prefix(20).map { .problem($0, template: nil, count: recipients.count) }
        }
        var found: [(problem: PlatformProblem, template: String, count: Int)] = []
        for group in situation.templateGroups {
            for problem in group.check.problems where problem.severity == .failure {
                if let index = found.firstIndex(where: { $0.problem == problem && $0.template == group.key.name }) {
                    found[index].count += group.devices.count
                } else {
                    found.append((problem, group.key.name, group.devices.count))
                }
            }
        }
        return found.prefix(20).map { .problem($0.problem, template: $0.template, count: $0.count) }
    }

    private var templateCauses: [WhyCause] {
        var causes: [WhyCause] = []
        var missing: [(names: [String], template: String, devices: [String])] = []
        for group in situation.templateGroups {
            let name = group.key.name
            switch group.preview {
            case .filled(_, missingNames: []): continue
            case .filled(_, let names):
                if let index = missing.firstIndex(where: { $0.names == names && $0.template == name }) {
                    missing[index].devices += group.devices
                } else {
                    missing.append((names, name, group.devices))
                }
            case .tooLong:
                causes.append(.invalidTemplate(name, device: group.devices[0], reason: "the filled text is too long"))
            case .invalid(let reason): causes.append(.invalidTemplate(name, device: group.devices[0], reason: reason))
            }
        }
        return causes + missing.map { .missingProperties($0.names, template: $0.template, devices: $0.devices) }
    }
}

extension TagExpression.Node {
    /// The tags, users and installations of the expression, each once.
    var operands: [Self] {
        switch self {
        case .tag, .installation, .user: [self]
        case .not(let node): node.operands
        case .all(let nodes), .any(let nodes):
            nodes.flatMap(\.operands).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
    }
}

extension Sequence<String> {
    /// Returns the name that a user probably meant; `nil` if none is similar.
    fileprivate func mostSimilar(to word: String) -> String? {
        let names = sorted()
        return names.first { $0.utf8.isEqual(ignoringCase: word) } ?? Suggestion.name(for: word, among: names)
    }
}

extension String {
    /// Whether a result of a test send reports success. The service returns sentences, and older versions a single word.
    fileprivate var isSuccess: Bool {
        utf8.starts(ignoringCase: "success") || Array(utf8).firstIndex(ignoringCase: " successfully ") != nil
    }
}
