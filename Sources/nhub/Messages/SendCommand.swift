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
