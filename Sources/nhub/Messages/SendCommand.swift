import HubCommandLine
import NotificationHubs

/// `nhub send`: sends a message.
enum SendCommand: Subcommand {
    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let connection = try arguments.connection()
        let format = try MessageFormat.take(from: &arguments, of: command)
        let message = try Message.take(format, from: &arguments)
        let asJSON = message.asJSON
        switch message.target {
        case .handle(let handle):
            guard !message.isTest else { throw UsageError("--test cannot be combined with --device") }
            let device = try format.device(handle)
            let hub = try connection.settings().hub()
            let (notification, problems) = try message.notification()
            return try await Message.send {
                try ReceiptReport.write(try await hub.send(notification, to: device), problems, asJSON: asJSON)
                return .success
            }
        case .devices(let target):
            let (isTest, showsHandles) = (message.isTest, message.showsHandles)
            let hub = try connection.settings().hub()
            let (notification, problems) = try message.notification()
            return try await Message.send {
                if isTest {
                    let outcome = try await hub.testSend(notification, to: target)
                    return try TestReport(outcome, showsHandles: showsHandles).write(asJSON: asJSON)
                }
                try ReceiptReport.write(try await hub.send(notification, to: target), problems, asJSON: asJSON)
                return .success
            }
        }
    }
}

/// `nhub schedule`: schedules a message.
enum ScheduleCommand: Subcommand {
    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let connection = try arguments.connection()
        let format = try MessageFormat.take(from: &arguments, of: command)
        let time = try time(&arguments)
        let message = try Message.take(format, from: &arguments)
        guard case .devices(let target) = message.target else {
            throw UsageError("--device is supported only by nhub send: the service cannot schedule for a handle")
        }

        let hub = try connection.settings().hub()
        let (notification, problems) = try message.notification()
        let asJSON = message.asJSON
        return try await Message.send {
            let id: PushNotification.ID
            do {
                id = try await hub.schedule(notification, to: target, at: time.date)
            } catch let error as HubValidationError where error.code == .invalidDate {
                throw UsageError("--at: \(error)")
            }
            try ReceiptReport.write(id, at: time, problems, asJSON: asJSON)
            return .success
        }
    }

    private static func time(_ arguments: inout Arguments) throws(UsageError) -> Moment {
        switch (try arguments.value(of: .at), try arguments.value(of: .in)) {
        case (let text?, nil): try Moment(date: text, of: .at)
        case (nil, let text?): Moment(after: try TimeSpan(text, of: .in))
        case (nil, nil): throw UsageError("missing time: pass --at TIME or --in SPAN")
        case (_?, _?): throw UsageError("--at and --in cannot be combined")
        }
    }
}

/// `nhub cancel`: cancels a scheduled message.
enum CancelCommand: Subcommand {
    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let connection = try arguments.connection()
        let asJSON = arguments.flag(.json)
        let id = try notificationID(&arguments)
        let hub = try connection.settings().hub()
        return try await Interrupt.exitStatus {
            let isCancelled = try await hub.cancelScheduledNotification(id)
            var fields = Fields()
            if isCancelled {
                fields.addLine("cancelled", id.rawValue)
            } else {
                fields.addLine(
                    "not cancelled", "the hub has no such scheduled message: sent, already cancelled or unknown")
            }
            fields.addMember {
                $0.add("notificationId", id.rawValue)
                $0.add("cancelled", isCancelled)
            }
            try fields.write(asJSON: asJSON)
            return isCancelled ? .success : .failure
        }
    }

    /// Parses a notification ID, the only remaining argument.
    static func notificationID(_ arguments: inout Arguments) throws(UsageError) -> PushNotification.ID {
        let text = try arguments.operands(named: "notification ID")[0]
        guard !text.isEmpty else { throw UsageError("the notification ID must not be empty") }
        do {
            return try PushNotification.ID(validating: text)
        } catch {
            throw UsageError("\(error)")
        }
    }
}
