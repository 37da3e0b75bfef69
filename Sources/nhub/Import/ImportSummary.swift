import HubCommandLine

/// The result of an import.
struct ImportSummary: Hashable, Sendable {
    /// The end of an import.
    enum Ending: Hashable, Sendable {
        case complete
        case stopped(reason: String)
        case interrupted
    }

    let ending: Ending
    let put: Int
    let failed: Int
    /// The number of lines that earlier runs finished, without blank lines.
    let before: Int
    let duration: Duration
    /// The path of the failure file, if there is one.
    let failuresPath: String?
    /// Whether the input and the failure file are CSV files.
    var isCSV = false
    /// Whether the same command can resume the import.
    let canBeResumed: Bool

    /// The exit status, unless a signal ended the import.
    var status: ExitStatus {
        ending == .complete && failed == 0 ? .success : .failure
    }

    /// The result as text, with the next step.
    var lines: [String] {
        let seconds = duration / .seconds(1)
        var text = "\(put) put"
        if failed > 0 { text += ", \(failed) failed" }
        text += " in \(ProgressText.time(duration))"
        if seconds > 1 { text += ", \(Int((Double(put + failed - before) / seconds).rounded()))/s" }
        if before > 0 { text += "; \(before) of them in earlier runs" }
        var lines = [text]
        if let failuresPath {
            lines.append(
                isCSV
                    ? "Failed records are in \(failuresPath): correct that file, and import it with --format csv."
                    : "Failed lines are in \(failuresPath): correct and import that file.")
        }
        return lines
    }

    /// The reason that the import is not complete, with the remedy, or `nil` for a complete import.
    var problem: String? {
        let next = canBeResumed ? "run the same command to resume" : "an import from standard input cannot be resumed"
        return switch ending {
        case .complete: nil
        case .stopped(let reason): "stopped at \(reason); \(next)"
        case .interrupted: "interrupted; \(next)"
        }
    }

    /// The result as a JSON object.
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
