import HubCommandLine
import NotificationHubs

/// Whom a command line wants a message to be for.
enum MessageTarget {
    case devices(PushNotification.Target)
    /// One device, by the handle that its platform gave to it.
    case handle(String)

    /// Takes the one target that there must be. None, two, or one that names nobody is an error: a message to everyone
    /// must never come of a mistake.
    static func take(from arguments: inout Arguments) throws(UsageError) -> MessageTarget {
        let given = try arguments.values(
            of: "--tag", "--tags", "--expression", "--installation", "--user", "--device")
        let isEveryone = arguments.flag("--everyone")
        guard given.count + (isEveryone ? 1 : 0) <= 1 else {
            throw UsageError("there is more than one target; --tags takes several tags, with commas between them")
        }
        guard let (option, value) = given.first else {
            guard isEveryone else {
                throw UsageError(
                    "a target is missing: --tag, --tags, --expression, --installation, --user, --device or --everyone")
            }
            return .devices(.everyone)
        }
        guard option != "--device" else {
            guard !value.isEmpty else { throw UsageError("--device: a device's handle has one character at least") }
            return .handle(value)
        }
        return try UsageError.reading(option) {
            let expression = try Self.expression(option, value)
            try expression.validate()
            return .devices(.expression(expression))
        }
    }

    private static func expression(_ option: String, _ value: String) throws -> TagExpression {
        switch option {
        case "--tag": .tag(try NotificationHub.Tag(validating: value))
        case "--tags":
            .any(
                of: try value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
                    try NotificationHub.Tag(validating: Substring($0))
                })
        case "--expression": try TagExpression(validating: value)
        case "--installation": .installation(try Installation.ID(validating: value))
        default: .user(try Installation.UserID(validating: value))
        }
    }
}
