import HubCommandLine
import NotificationHubs

/// `nhub send`: sends a message.
enum SendCommand: Subcommand {
    static let name = "send"
    static let summary = "Send a message to devices."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let caFile = try arguments.caFile()
        let format = try MessageFormat.take(from: &arguments)
        let message = try Message.take(format, from: &arguments)
        let asJSON = message.asJSON
        switch message.target {
        case .handle(let handle):
            guard !message.isTest else { throw UsageError("--test is not for --device: the service does not do that") }
            let device = try format.device(handle)
            let hub = try HubSettings.fromEnvironment(caFile: caFile).hub()
            let notification = try message.notification()
            return try await Message.send {
                try ReceiptReport.write(try await hub.send(notification, to: device), asJSON: asJSON)
                return .success
            }
        case .devices(let target):
            let (isTest, showsHandles) = (message.isTest, message.showsHandles)
            let hub = try HubSettings.fromEnvironment(caFile: caFile).hub()
            let notification = try message.notification()
            return try await Message.send {
                if isTest {
                    let outcome = try await hub.testSend(notification, to: target)
                    return try TestReport(outcome, showsHandles: showsHandles).write(asJSON: asJSON)
                }
                try ReceiptReport.write(try await hub.send(notification, to: target), asJSON: asJSON)
                return .success
            }
        }
    }
}

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
