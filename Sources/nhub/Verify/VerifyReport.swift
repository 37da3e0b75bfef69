import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

/// The report of a run: a line for each step while it runs, and the comparison at the end.
struct VerifyReport {
    private let hub: NotificationHub
    private let names: VerifyNames
    private let asJSON: Bool
    private let start = ContinuousClock.now
    private var progress: ProgressLine
    private(set) var results: [VerifyResult] = []
    private var left: [String] = []
    private var requestCount = 0
    private var throttledCount = 0

    init(_ hub: NotificationHub, _ names: VerifyNames, asJSON: Bool, stepCount: Int) {
        (self.hub, self.names, self.asJSON) = (hub, names, asJSON)
        progress = ProgressLine(total: stepCount, unit: "steps")
    }

    /// Adds the result of a step.
    mutating func add(_ result: VerifyResult) throws {
        results.append(result)
        progress.end()
        if !asJSON { try Console.result([Self.line(result)]) }
        progress.show(
            finished: results.count, failed: results.filter(\.isFailure).count, now: ContinuousClock.now - start)
    }

    /// Ends the progress, and adds what is left.
    mutating func end(_ run: VerifyRun, left: [String]) {
        progress.end()
        self.left = left
        (requestCount, throttledCount) = (run.transport.requestCount, run.transport.throttledCount)
    }

    var hasFailed: Bool { results.contains(where: \.isFailure) || !left.isEmpty }

    private static func line(_ result: VerifyResult) -> String {
        switch result.outcome {
        case .held: "ok       \(result.step.name)"
        case .failed(let reason): "failed   \(result.step.name): \(reason)"
        case .skipped(let reason): "skipped  \(result.step.name): \(reason)"
        }
    }

    /// Writes what could not be deleted. With `--json`, it is also a member of the report.
    func writeLeft() throws(Console.WriteError) {
        if asJSON { return leftLines.forEach(Console.error) }
        if !left.isEmpty { try Console.result([""] + leftLines) }
    }

    private var leftLines: [String] {
        left.isEmpty
            ? [] : left.map { "not deleted: \($0)" } + ["To delete it, run: nhub verify --clean-up \(names.run)"]
    }

    /// Writes the summary and the comparison.
    func write(_ head: VerifyRecording.Head, _ comparison: VerifyComparison) throws(Console.WriteError) {
        if asJSON {
            var object = JSONOutput()
            object.add("endpoint", "\(hub.endpoint)")
            object.add("hub", hub.name.rawValue)
            object.add("run", names.run)
            object.add("steps", results.map(\.json))
            object.add("requests", Int64(requestCount))
            object.add("throttled", Int64(throttledCount))
            comparison.add(to: &object, head)
            object.add("left", left)
            return try Console.result(object)
        }
        let failed = results.filter(\.isFailure).count
        let skipped = results.filter(\.isSkipped).count
        let held = results.count - failed - skipped
        let time = ProgressText.time(ContinuousClock.now - start)
        let throttled = throttledCount > 0 ? ", \(throttledCount) of them throttled" : ""
        try Console.result(
            [
                "",
                "\(held) steps passed, \(failed) failed, \(skipped) skipped, in \(time) with \(requestCount) requests\(throttled)",
            ]
                + comparison.lines(head))
    }

    /// Writes the comparison of a recording.
    static func write(
        _ comparison: VerifyComparison, of head: VerifyRecording.Head, asJSON: Bool
    ) throws(Console.WriteError) {
        guard asJSON else { return try Console.result(comparison.lines(head)) }
        var object = JSONOutput()
        comparison.add(to: &object, head)
        try Console.result(object)
    }
}

extension VerifyResult {
    fileprivate var json: JSONOutput {
        var object = JSONOutput()
        object.add("step", step.name)
        switch outcome {
        case .held: object.add("result", "ok")
        case .failed(let reason):
            object.add("result", "failed")
            object.add("reason", reason)
        case .skipped(let reason):
            object.add("result", "skipped")
            object.add("reason", reason)
        }
        object.add("milliseconds", Int64(duration / .milliseconds(1)))
        return object
    }
}

extension VerifyComparison {
    fileprivate func add(to object: inout JSONOutput, _ head: VerifyRecording.Head) {
        object.add("tier", head.tier.rawValue)
        object.add("profile", head.profile.rawValue)
        object.add("equal", Int64(equalCount))
        object.add("equalButVariable", Int64(equalButVariableCount))
        object.add("different", Int64(differentCount))
        object.add(
            "differences",
            findings.map { finding in
                var object = JSONOutput()
                object.add("field", finding.difference.field)
                object.add("hub", finding.difference.service)
                object.add("emulator", finding.difference.emulator)
                object.add("steps", finding.steps)
                return object
            })
        object.add(
            "assumptions",
            verdicts.map { verdict in
                var object = JSONOutput()
                object.add("assumption", verdict.assumption)
                object.add("step", verdict.step)
                object.add("result", verdict.isConfirmed ? "confirmed" : "refuted")
                return object
            })
    }

    fileprivate func lines(_ head: VerifyRecording.Head) -> [String] {
        let refuted = verdicts.filter { !$0.isConfirmed }
        return [
            "",
            "Compared with the emulator (tier \(head.tier.rawValue), profile \(head.profile.rawValue)): \(equalCount) responses equal, "
                + "\(equalButVariableCount) equal except for IDs and times, \(differentCount) different",
        ] + findings.map(\.line)
            + ["Assumptions of the emulator: \(verdicts.count - refuted.count) confirmed, \(refuted.count) refuted"]
            + refuted.map { "refuted  \($0.step): \($0.assumption): \($0.statuses)" }
    }
}

extension VerifyComparison.Finding {
    /// The difference in one line, with the first step that shows it.
    fileprivate var line: String {
        let (left, right) = Self.excerpts(difference.service, difference.emulator)
        let more = steps.count > 1 ? " and \(steps.count - 1) more step\(steps.count > 2 ? "s" : "")" : ""
        return "differs  \(difference.field): hub \(left), emulator \(right) (\(steps[0])\(more))"
    }

    /// Returns the parts of two texts around the first difference.
    private static func excerpts(_ left: String, _ right: String) -> (String, String) {
        let common = zip(left.unicodeScalars, right.unicodeScalars).prefix { $0 == $1 }.count
        let start = max(0, common - 20)
        func excerpt(_ text: String) -> String {
            let rest = text.unicodeScalars.dropFirst(start)
            return (start > 0 ? "…" : "") + String(rest.prefix(80)) + (rest.count > 80 ? "…" : "")
        }
        return (excerpt(left), excerpt(right))
    }
}
