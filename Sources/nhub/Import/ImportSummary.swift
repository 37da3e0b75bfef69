import HubCommandLine

/// What an import has come to, as its last line says it.
struct ImportSummary: Hashable, Sendable {
    /// How an import ended.
    enum Ending: Hashable, Sendable {
        case complete
        case stopped(reason: String)
        case interrupted
    }

    let ending: Ending
    let put: Int
    let failed: Int
    /// How many lines were finished before this run of the import.
    let before: Int
    let duration: Duration
    /// The file of failures, if there is one.
    let failuresPath: String?
    /// Whether the same command can go on with it.
    let canBeResumed: Bool

    /// What the tool ends with, unless a signal has ended the import.
    var status: ExitStatus {
        ending == .complete && failed == 0 ? .success : .failure
    }

    /// For people: what was done, and what is to be done now.
    var lines: [String] {
        let seconds = duration / .seconds(1)
        var text = "\(put) put"
        if failed > 0 { text += ", \(failed) failed" }
        text += " in \(ProgressText.time(duration))"
        if seconds > 1 { text += ", \(Int((Double(put + failed - before) / seconds).rounded())) a second" }
        if before > 0 { text += "; \(before) of them before" }
        var lines = [text]
        if let failuresPath { lines.append("What failed is in \(failuresPath): mend it and import it.") }
        return lines
    }

    /// For people: why it is not complete, and how to go on; `nil` for a complete import.
    var problem: String? {
        let next = canBeResumed ? "the same command goes on from here" : "standard input has no journal to go on by"
        return switch ending {
        case .complete: nil
        case .stopped(let reason): "stopped at \(reason); \(next)"
        case .interrupted: "interrupted; \(next)"
        }
    }

    /// For programs.
    var json: JSONOutput {
        var object = JSONOutput()
        switch ending {
        case .complete: object.add("ending", "complete")
        case .stopped(let reason):
            object.add("ending", "stopped")
            object.add("reason", reason)
        case .interrupted: object.add("ending", "interrupted")
        }
        object.add("put", Int64(put))
        object.add("failed", Int64(failed))
        object.add("before", Int64(before))
        object.add("milliseconds", Int64(duration / .milliseconds(1)))
        if let failuresPath { object.add("failures", failuresPath) }
        return object
    }
}
