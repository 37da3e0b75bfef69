import HubCommandLine
import HubLock
import NotificationHubs

/// The lines that `--verbose` writes to standard error: one for each attempt of a request.
///
/// A line contains no IDs of devices or users, no headers and no body.
enum AttemptLog {
    /// Returns an observer that writes a line when an attempt ends.
    static func observer() -> @Sendable (HubEvent) -> Void {
        let starts = Locked<[UInt64: Duration]>([:])
        return { event in
            let start = starts.withLock { starts -> Duration in
                guard case .started = event.phase else { return starts.removeValue(forKey: event.callID) ?? .zero }
                starts[event.callID] = event.duration
                return event.duration
            }
            if let line = line(event, since: start) { Console.error("nhub: \(line)") }
        }
    }

    /// Returns the line for an event; `nil` for the start of an attempt.
    ///
    /// - Parameter start: The attempt's start, since the start of the call.
    static func line(_ event: HubEvent, since start: Duration) -> String? {
        let wait: String?
        var result = [event.status.map(String.init), event.failure?.rawValue].compactMap(\.self).joined(separator: " ")
        switch event.phase {
        case .retrying(let delay): wait = "retry in \(milliseconds(delay))"
        case .finished: wait = nil
        case .abandoned: (wait, result) = (nil, "cancelled")
        default: return nil
        }
        let parts = [
            "\(event.operation) (\(event.method.rawValue) \(event.pathTemplate)) attempt \(event.attempt): "
                + "\(result) in \(milliseconds(event.duration - start))",
            wait, clock(event), event.trackingID.map { "tracking ID \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: "; ")
    }

    /// The difference between the clocks, if the hub rejected a token and may have done so for this reason.
    private static func clock(_ event: HubEvent) -> String? {
        guard event.status == 401, let skew = event.clockSkew, abs(skew.components.seconds) >= 60 else { return nil }
        return NotificationHub.clockText(skew)
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
    }
}
