import HubCommandLine
import NotificationHubs

/// `nhub outcome`: says what became of a message.
enum OutcomeCommand: Subcommand {
    static let name = "outcome"
    static let summary = "Say what became of a message."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let caFile = try arguments.caFile()
        let asJSON = arguments.flag("--json")
        let showsErrorDetails = arguments.flag("--error-details")
        let patience = try patience(&arguments)
        let id = try CancelCommand.notificationID(&arguments)
        let hub = try HubSettings.fromEnvironment(caFile: caFile).hub()
        return try await Interrupt.endingEarly {
            let outcome: PushNotification.Outcome?
            if let patience {
                outcome = try await wait(for: id, of: hub, patience)
            } else {
                outcome = try await hub.outcome(of: id)
            }
            try outcome.map { outcome throws(Console.Unwritable) in
                try OutcomeReport(outcome, showsErrorDetails: showsErrorDetails).write(asJSON: asJSON)
            }
            if let patience, !(outcome?.state?.isTerminal ?? false) {
                let what =
                    outcome == nil ? "the hub knows nothing of the message" : "the message has not come to its end"
                throw StillUnderWay(description: "after \(patience.seconds) s, \(what)")
            }
            return .success
        }
    }

    /// How long to wait for an end: half an hour where nothing is said, since the service may take as long to know.
    private static func patience(_ arguments: inout Arguments) throws(UsageError) -> TimeSpan? {
        let waits = arguments.flag("--wait")
        if let text = try arguments.value(of: "--wait") { return try TimeSpan(text, of: "--wait") }
        return waits ? try TimeSpan("30m", of: "--wait") : nil
    }

    /// Asks again and again. Each new state is told to whoever looks on.
    private static func wait(
        for id: PushNotification.ID, of hub: NotificationHub, _ patience: TimeSpan
    ) async throws -> PushNotification.Outcome? {
        var last: PushNotification.Outcome?
        // Ten seconds are what the service's documentation advises.
        let interval = Duration.seconds(min(10, max(1, patience.seconds / 10)))
        for try await outcome in hub.outcomes(of: id, every: interval, timeout: .seconds(patience.seconds)) {
            if let state = outcome.state, state != last?.state, !state.isTerminal { Console.error("nhub: \(state)") }
            last = outcome
        }
        return last
    }

    private struct StillUnderWay: Error, CustomStringConvertible {
        let description: String
    }
}
