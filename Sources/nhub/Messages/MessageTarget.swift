import HubCommandLine
import NotificationHubs

/// The target of a message.
enum MessageTarget {
    case devices(PushNotification.Target)
    /// One device, by its platform handle.
    case handle(String)

    /// Parses the target.
    ///
    /// - Throws: `UsageError` unless there is exactly one valid target, so that a mistake never addresses all devices.
    static func take(from arguments: inout Arguments) throws(UsageError) -> MessageTarget {
        let given = try arguments.values(
            of: .tag, .tags, .expression, .installation, .user, .device)
        let isEveryone = arguments.flag(.everyone)
        guard given.count + (isEveryone ? 1 : 0) <= 1 else {
            let isTags = !isEveryone && given.allSatisfy { [.tag, .tags].contains($0.option) }
            throw UsageError(
                "more than one target: "
                    + (isTags
                        ? "pass several tags as --tags TAG,TAG"
                        : "pass only \(given[0].option)" + (isEveryone ? " or --everyone" : " or \(given[1].option)")))
        }
        guard let (option, value) = given.first else {
            guard isEveryone else {
                throw UsageError(
                    "missing target: pass --tag, --tags, --expression, --installation, --user, --device or --everyone")
            }
            return .devices(.everyone)
        }
        guard option != .device else {
            guard !value.isEmpty else { throw UsageError("--device: a device's handle must not be empty") }
            return .handle(value)
        }
        return try UsageError.parsing(option) {
            let expression = try Self.expression(option, value)
            try expression.validate()
            return .devices(.expression(expression))
        }
    }

    /// Parses the value of a target's option.
    static func expression(_ option: OptionName, _ value: String) throws -> TagExpression {
        switch option {
        case .tag: .tag(try NotificationHub.Tag(validating: value))
        case .tags:
            .any(
                of: try value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
                    try NotificationHub.Tag(validating: Substring($0))
                })
        case .expression: try TagExpression(validating: value)
        case .installation: .installation(try Installation.ID(validating: value))
        default: .user(try Installation.UserID(validating: value))
        }
    }
}
