import HubCommandLine
import NotificationHubs

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

/// How one attempt to put an installation ended, as far as it matters for what follows.
enum ImportOutcome: Hashable, Sendable {
    /// The hub took it.
    case put
    /// The hub, or the client itself, will never take this installation.
    case refused(String)
    /// The hub wants nobody to call for a while.
    case throttled(for: Duration?)
    /// No answer, or one that blames the hub itself: it may go well later.
    case trouble(String, isSilent: Bool)
    /// No installation at all can be put like this.
    case hopeless(String)
    /// The attempt was broken off.
    case cancelled

    /// - Parameter error: what the call threw.
    init(_ error: any Error) {
        switch error {
        case is CancellationError:
            self = .cancelled
        case let error as HubError:
            self.init(error)
        default:
            self = .refused("\(error)")
        }
    }

    private init(_ error: HubError) {
        switch error.code {
        case .throttled:
            self = .throttled(for: error.retryAfter)
        case .unauthorized, .forbidden, .notFound:
            self = .hopeless("\(error)")
        case .connectionFailed, .timedOut:
            self = .trouble("\(error)", isSilent: true)
        case .serviceFailed where error.retryAfter != nil:
            self = .throttled(for: error.retryAfter)
        case .serviceFailed, .unexpectedStatus:
            self = .trouble("\(error)", isSilent: false)
        default:
            self = .refused("\(error)")
        }
    }
}
