import HubCommandLine
import NotificationHubs

/// What a message is written in, by the word of the command line.
enum MessageFormat: String, CaseIterable {
    case template
    case apple
    case fcmv1
    case gcm
    case windows
    case windowsphone
    case adm
    case baidu
    case browser
    case xiaomi

    /// Takes the word behind the subcommand.
    static func take(from arguments: inout Arguments) throws(UsageError) -> MessageFormat {
        let names = allCases.map(\.rawValue).joined(separator: ", ")
        guard let word = arguments.subcommand() else { throw UsageError("the format is missing: one of \(names)") }
        guard let format = allCases.first(where: { $0.rawValue.utf8.elementsEqual(word.utf8) }) else {
            throw UsageError("the format \(Arguments.quoted(word)) is unknown: it is one of \(names)")
        }
        return format
    }

    /// A device of the format's platform, by its handle.
    func device(_ handle: String) throws(UsageError) -> PushNotification.Direct {
        try UsageError.reading("--device") {
            switch self {
            case .template: throw UsageError("a template message has no platform, which a device's handle needs")
            case .browser:
                throw UsageError("a browser's keys are a secret, not for a command line: put its installation")
            case .apple: .device(try .apple(handle))
            case .fcmv1: .device(try .fcmV1(handle))
            case .gcm: .device(try .gcm(handle))
            case .windows: .device(try .windows(channelURI: handle))
            case .windowsphone: .device(try .windowsPhone(channelURI: handle))
            case .adm: .device(try .adm(handle))
            case .xiaomi: .device(try .xiaomi(handle))
            case .baidu:
                // A user's id and a channel's, both of digits.
                .device(try baiduHandle(handle.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1)))
            }
        }
    }

    private func baiduHandle(_ parts: [Substring.UTF8View]) throws -> DeviceHandle {
        guard parts.count == 2 else {
            throw UsageError("a device of Baidu is a user's id, a hyphen and a channel's id")
        }
        return try .baidu(userID: String(Substring(parts[0])), channelID: String(Substring(parts[1])))
    }
}
