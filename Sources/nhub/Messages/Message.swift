import HubCommandLine
import HubText
import NotificationHubs

/// The message of `nhub send` or `nhub schedule`: its format, target and body.
struct Message {
    let format: MessageFormat
    let target: MessageTarget
    let isTest: Bool
    /// Whether the report of a test send includes the devices' handles.
    let showsHandles: Bool
    let asJSON: Bool
    private let source: MessageSource

    /// Parses the message, which is the rest of the command line after the format.
    static func take(_ format: MessageFormat, from arguments: inout Arguments) throws(UsageError) -> Message {
        // Options with values are parsed before flags, so that a missing value is an error.
        let target = try MessageTarget.take(from: &arguments)
        let appleOptions = format.platform == .apple ? try AppleOptions.take(from: &arguments) : .init()
        let (isTest, showsHandles) = (arguments.flag("--test"), arguments.flag("--handles"))
        guard isTest || !showsHandles else { throw UsageError("--handles requires --test") }
        return Message(
            format: format, target: target, isTest: isTest, showsHandles: showsHandles,
            asJSON: arguments.flag("--json"),
            source: try MessageSource.take(format, appleOptions, from: &arguments))
    }

    /// Reads the body and creates the notification.
    func notification() throws -> PushNotification { try source.notification() }

    /// Runs a call that sends a message, and warns if the hub may have accepted the message despite an error.
    static func send(_ call: @escaping @Sendable () async throws -> ExitStatus) async throws -> ExitStatus {
        let status = try await Interrupt.exitStatus {
            do {
                return try await call()
            } catch let error as HubValidationError {
                throw UsageError("\(error)")
            } catch let error as HubError where error.code == .mayHaveBeenAccepted {
                throw DeliveryUnknown(error: error)
            }
        }
        if status.isSignal { Console.error("nhub: interrupted: \(DeliveryUnknown.warning)") }
        return status
    }

    /// An error after which it is unknown whether the hub accepted the message.
    struct DeliveryUnknown: Error, CustomStringConvertible {
        static let warning = "the hub may have accepted the message; sending it again may deliver it twice"
        let error: HubError

        var description: String { "delivery unknown: \(Self.warning): \(HubFailure(error))" }
    }
}

extension ExitStatus {
    fileprivate var isSignal: Bool { rawValue > 128 }
}

/// The source of a message's body.
enum MessageSource {
    case ready(PushNotification)
    case file(Input, ([UInt8]) throws -> PushNotification)

    /// Parses the format's flags and the operands.
    static func take(
        _ format: MessageFormat, _ appleOptions: PushNotification.AppleOptions, from arguments: inout Arguments
    ) throws(UsageError) -> MessageSource {
        guard let platform = format.platform else {
            return .ready(.template(try TemplateValues.take(from: &arguments)))
        }
        let isRaw = [.windows, .windowsPhone].contains(platform) && arguments.flag("--raw")
        let input = Input(try arguments.operands(named: "message file (or - for standard input)")[0])
        return file(input, for: platform, appleOptions, isRaw: isRaw)
    }

    /// Returns a file with a message for a platform.
    static func file(
        _ input: Input, for platform: PushPlatform, _ appleOptions: PushNotification.AppleOptions = .init(),
        isRaw: Bool = false
    ) -> MessageSource {
        switch platform {
        case .apple: .file(input) { try .apple(.json($0), options: appleOptions) }
        case .windows: .file(input) { isRaw ? try .windowsRaw($0) : try .windows(xml: text($0)) }
        case .windowsPhone: .file(input) { isRaw ? try .windowsPhoneRaw($0) : try .windowsPhone(xml: text($0)) }
        case .fcmV1: .file(input) { try .fcmV1(.json($0)) }
        case .baidu: .file(input) { try .baidu(.json($0)) }
        default: .file(input) { try .json(platform, .json($0)) }
        }
    }

    /// Reads the body and creates the notification.
    ///
    /// - Throws: `UsageError` for an option that does not fit the body, or ``InputError`` for an invalid body.
    func notification() throws -> PushNotification {
        switch self {
        case .ready(let notification): return notification
        case .file(let input, let make):
            let bytes = try input.bytes()
            do {
                return try make(bytes)
            } catch let error as HubValidationError where error.isAboutHeader {
                throw UsageError("\(error)")
            } catch {
                throw input.invalid("message", error)
            }
        }
    }

    private static func text(_ bytes: [UInt8]) throws -> String {
        guard let text = String(strictUTF8: bytes) else { throw InvalidUTF8Error() }
        return text
    }

    private struct InvalidUTF8Error: Error, CustomStringConvertible {
        let description = "the body must be valid UTF-8"
    }
}

extension HubValidationError {
    /// Whether an option caused the error, not the body.
    fileprivate var isAboutHeader: Bool {
        code == .invalidHeader
    }
}

/// A parser of the options for Apple's headers.
enum AppleOptions {
    /// The values of `--priority`.
    static let priorities: [PushNotification.AppleOptions.Priority] = [.low, .normal, .immediate]

    static func take(from arguments: inout Arguments) throws(UsageError) -> PushNotification.AppleOptions {
        var options = PushNotification.AppleOptions()
        options.pushType = try arguments.value(of: "--push-type").map(PushNotification.AppleOptions.PushType.init)
        if let text = try arguments.value(of: "--priority") {
            options.priority = priorities.first { String($0.rawValue) == text }
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

extension MessageFormat {
    /// Parses the format, the word after the subcommand.
    static func take(from arguments: inout Arguments, of command: Command) throws(UsageError) -> MessageFormat {
        let name = try arguments.action(of: command)
        return all.first { $0.name == name } ?? .template
    }

    /// Returns the target for a device handle of the format's platform.
    func device(_ handle: String) throws(UsageError) -> PushNotification.Direct {
        guard let platform else {
            throw UsageError("--device: not supported for template; use the format of the device's platform")
        }
        guard platform != .browser else {
            throw UsageError("--device: not supported for browser, whose keys are secret; put an installation instead")
        }
        let channel = PushChannel(platform: platform, handle: handle)
        try UsageError.parsing("--device") { try channel.checkForHeaders() }
        return .device(channel)
    }
}

/// A parser of a template message's values, given as `NAME=VALUE`.
enum TemplateValues {
    /// Parses the operands.
    ///
    /// - Throws: `UsageError` for an invalid value, or for a name that no template can contain.
    static func take(from arguments: inout Arguments) throws(UsageError) -> [String: String] {
        let values = try takeIfPresent(from: &arguments)
        guard !values.isEmpty else {
            throw UsageError("missing values: pass NAME=VALUE for each name in the templates")
        }
        return values
    }

    /// Parses the operands; empty if there are none.
    static func takeIfPresent(from arguments: inout Arguments) throws(UsageError) -> [String: String] {
        let operands = try arguments.operands()
        var values: [String: String] = [:]
        var names: Set<String> = []
        for operand in operands {
            guard let equals = operand.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                throw UsageError("invalid value \(Arguments.quoted(operand)): expected NAME=VALUE")
            }
            let name = operand.utf8[..<equals]
            guard isName(name) else {
                throw UsageError("invalid value name: expected 1 to \(maximumNameLength) letters, digits or _")
            }
            let text = String(Substring(name))
            guard names.insert(text.lowercased()).inserted else {
                throw UsageError("duplicate value name (names are case-insensitive)")
            }
            values[text] = String(Substring(operand.utf8[operand.utf8.index(after: equals)...]))
        }
        return values
    }

    private static let maximumNameLength = 120

    private static func isName(_ name: Substring.UTF8View) -> Bool {
        (1...maximumNameLength).contains(name.count)
            && name.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }
}
