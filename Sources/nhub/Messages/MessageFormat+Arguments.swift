import HubCommandLine
import NotificationHubs

extension MessageFormat {
    /// Takes the word after the subcommand.
    static func take(from arguments: inout Arguments) throws(UsageError) -> MessageFormat {
        let names = all.map(\.name).joined(separator: ", ")
        guard let word = arguments.subcommand() else { throw UsageError("the format is missing: one of \(names)") }
        guard let format = all.first(where: { $0.name.utf8.elementsEqual(word.utf8) }) else {
            throw UsageError("the format \(Arguments.quoted(word)) is unknown: it is one of \(names)")
        }
        return format
    }

    /// The device of the format's platform with a handle.
    func device(_ handle: String) throws(UsageError) -> PushNotification.Direct {
        guard let platform else {
            throw UsageError("--device: a template message has no platform, which a device's handle needs")
        }
        guard platform != .browser else {
            throw UsageError("--device: a browser's keys are a secret, not for a command line: put its installation")
        }
        let channel = PushChannel(platform: platform, handle: handle)
        try UsageError.reading("--device") { try channel.checkForHeaders() }
        return .device(channel)
    }
}
