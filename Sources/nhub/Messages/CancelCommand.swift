import HubCommandLine
import NotificationHubs

/// `nhub cancel`: takes back a scheduled message.
enum CancelCommand: Subcommand {
    static let name = "cancel"
    static let summary = "Take back a message that was scheduled."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let caFile = try arguments.caFile()
        let asJSON = arguments.flag("--json")
        let id = try notificationID(&arguments)
        let hub = try HubSettings.fromEnvironment(caFile: caFile).hub()
        return try await Interrupt.endingEarly {
            let isCancelled = try await hub.cancelScheduledNotification(id)
            var fields = Fields()
            if isCancelled {
                fields.addLine("cancelled", id.rawValue)
            } else {
                fields.addLine("not cancelled", "the hub has it no more: it was sent or cancelled before, or never was")
            }
            fields.addMember {
                $0.add("notificationId", id.rawValue)
                $0.add("cancelled", isCancelled)
            }
            try fields.write(asJSON: asJSON)
            return isCancelled ? .success : .failure
        }
    }

    /// Takes a notification's id, all that is left of a command line.
    static func notificationID(_ arguments: inout Arguments) throws(UsageError) -> PushNotification.ID {
        let text = try arguments.operands(named: "the notification's id")[0]
        guard !text.isEmpty else { throw UsageError("the notification's id is empty") }
        do {
            return try PushNotification.ID(validating: text)
        } catch {
            throw UsageError("\(error)")
        }
    }
}
