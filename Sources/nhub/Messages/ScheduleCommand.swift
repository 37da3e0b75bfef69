import HubCommandLine
import NotificationHubs

/// `nhub schedule`: has the hub send a message later.
enum ScheduleCommand: Subcommand {
    static let name = "schedule"
    static let summary = "Have the hub send a message later."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let caFile = try arguments.caFile()
        let format = try MessageFormat.take(from: &arguments)
        let time = try time(&arguments)
        let message = try Message.take(format, from: &arguments)
        guard !message.isTest else { throw UsageError("--test is for nhub send alone") }
        guard case .devices(let target) = message.target else {
            throw UsageError("--device is for nhub send alone: the service schedules nothing for it")
        }

        let hub = try HubSettings.fromEnvironment(caFile: caFile).hub()
        let notification = try message.notification()
        let asJSON = message.asJSON
        return try await Message.send {
            let id = try await hub.schedule(notification, to: target, at: time.date)
            try ReceiptReport.write(id, at: time, asJSON: asJSON)
            return .success
        }
    }

    private static func time(_ arguments: inout Arguments) throws(UsageError) -> Moment {
        switch (try arguments.value(of: "--at"), try arguments.value(of: "--in")) {
        case (let text?, nil): try Moment(date: text, of: "--at")
        case (nil, let text?): Moment(after: try TimeSpan(text, of: "--in"))
        case (nil, nil): throw UsageError("the time is missing: --at TIME or --in SPAN")
        case (_?, _?): throw UsageError("--at and --in do not go together")
        }
    }
}
