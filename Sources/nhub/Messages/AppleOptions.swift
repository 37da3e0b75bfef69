import HubCommandLine
import NotificationHubs

/// The headers of a message to Apple's devices, as a command line has them.
enum AppleOptions {
    static func take(from arguments: inout Arguments) throws(UsageError) -> PushNotification.AppleOptions {
        var options = PushNotification.AppleOptions()
        options.pushType = try arguments.value(of: "--push-type").map(PushNotification.AppleOptions.PushType.init)
        if let text = try arguments.value(of: "--priority") {
            guard let priority = Int(text).flatMap(PushNotification.AppleOptions.Priority.init) else {
                throw UsageError("--priority is 1, 5 or 10")
            }
            options.priority = priority
        }
        if let text = try arguments.value(of: "--expires") {
            let isOnce = text.utf8.elementsEqual("once".utf8)
            options.expiration = isOnce ? .once : .at(try Moment(text, of: "--expires").date)
        }
        options.topic = try arguments.value(of: "--topic")
        options.collapseID = try arguments.value(of: "--collapse-id")
        return options
    }
}
