import HubCommandLine
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The message of `nhub send` or `nhub schedule`: its format, target and body.
struct Message {
    let format: MessageFormat
    let target: MessageTarget
    let isTest: Bool
    /// Whether the report of a test send includes the devices' handles.
    let showsHandles: Bool
    let asJSON: Bool
    /// Whether to send nothing if a platform would refuse the message.
    private let isStrict: Bool
    private let source: MessageSource

    /// Parses the message, which is the rest of the command line after the format.
    static func take(_ format: MessageFormat, from arguments: inout Arguments) throws(UsageError) -> Message {
        let target = try MessageTarget.take(from: &arguments)
        let headers = try MessageHeaders.take(format, from: &arguments)
        let (isTest, showsHandles) = (arguments.flag(.test), arguments.flag(.handles))
        guard isTest || !showsHandles else { throw UsageError("--handles requires --test") }
        return Message(
            format: format, target: target, isTest: isTest, showsHandles: showsHandles,
            asJSON: arguments.flag(.json), isStrict: arguments.flag(.strict),
            source: try MessageSource.take(format, headers, from: &arguments))
    }

    /// Reads the body and creates the notification. Reports what its platform will refuse or ignore.
    ///
    /// - Returns: The notification and its problems.
    /// - Throws: ``InputError`` also for a *failure*, with `--strict`.
    func notification() throws -> (notification: PushNotification, problems: [PlatformProblem]) {
        let notification = try source.notification()
        let problems = notification.problems
        problems.report()
        if isStrict, problems.contains(where: { $0.severity == .failure }) {
            throw InputError(description: "the message was not sent (--strict)")
        }
        return (notification, problems)
    }

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
    case values([String: String], MessageHeaders)
    case file(Input, PushPlatform, MessageHeaders, isRaw: Bool)

    /// Parses the format's flags and the operands.
    static func take(
        _ format: MessageFormat, _ headers: MessageHeaders, from arguments: inout Arguments
    ) throws(UsageError) -> MessageSource {
        guard let platform = format.platform else {
            return .values(try TemplateValues.take(from: &arguments), headers)
        }
        let isRaw = [.windows, .windowsPhone].contains(platform) && arguments.flag(.raw)
        let operand = try arguments.operands(named: "message file (or - for standard input)")[0]
        guard !isValue(operand) else {
            throw UsageError(
                "expected a message file (or - for standard input); for NAME=VALUE, use the format template")
        }
        let input = Input(operand)
        return .file(input, platform, headers, isRaw: isRaw)
    }

    /// Whether an operand is a value for templates, such as `message=Hello`, and not a file.
    private static func isValue(_ operand: String) -> Bool {
        let name = operand.utf8.prefix { $0 != UInt8(ascii: "=") }
        return name.count < operand.utf8.count && name.count <= 32 && TemplateValues.isName(name)
            && !FileManager.default.fileExists(atPath: operand)
    }

    /// Reads the body and creates the notification.
    ///
    /// - Throws: `UsageError` for an option that does not fit the body, or ``InputError`` for an invalid body.
    func notification() throws -> PushNotification {
        switch self {
        case .values(let values, let headers):
            do {
                return try .template(values, apple: headers.apple, headers: headers.others)
            } catch {
                throw headers.usageError(error)
            }
        case .file(let input, let platform, let headers, let isRaw):
            let bytes = try input.bytes()
            do {
                return try Self.notification(bytes, for: platform, headers, isRaw: isRaw)
            } catch let error as HubValidationError where error.code == .invalidHeader {
                throw headers.usageError(error)
            } catch let error as UsageError {
                throw error
            } catch {
                throw input.invalid("message", error)
            }
        }
    }

    /// Creates a platform's notification.
    static func notification(
        _ bytes: [UInt8], for platform: PushPlatform, _ headers: MessageHeaders, isRaw: Bool = false
    ) throws -> PushNotification {
        let others = headers.others
        return switch platform {
        case .apple: try .apple(.json(bytes), options: headers.appleOptions())
        case .windows: try windows(bytes, others, isRaw: isRaw)
        case .windowsPhone where isRaw: try .windowsPhoneRaw(bytes, additionalHeaders: others)
        case .windowsPhone: try .windowsPhone(xml: text(bytes), additionalHeaders: others)
        case .baidu: try .baidu(.json(bytes))
        default: try .json(platform, .json(bytes))
        }
    }

    /// Creates a notification for Windows, whose type is that of the root element unless a header has it.
    private static func windows(
        _ bytes: [UInt8], _ headers: [String: String], isRaw: Bool
    ) throws -> PushNotification {
        let isType: (String) -> Bool = { $0.utf8.isEqual(ignoringCase: "X-WNS-Type") }
        let type = headers.first { isType($0.key) }?.value
        let options = PushNotification.WindowsOptions(additionalHeaders: headers.filter { !isType($0.key) })
        if isRaw || type == "wns/raw" { return try .windowsRaw(bytes, options: options) }
        let notification = try PushNotification.windows(xml: text(bytes), options: options)
        guard let type, notification.headers(for: .windows)["X-WNS-Type"] != type else { return notification }
        throw HubValidationError(.invalidHeader, "does not match the root element", path: "X-WNS-Type")
    }

    private static func text(_ bytes: [UInt8]) throws -> String {
        guard let text = String(strictUTF8: bytes) else { throw InvalidUTF8Error() }
        return text
    }

    private struct InvalidUTF8Error: Error, CustomStringConvertible {
        let description = "the body must be valid UTF-8"
    }
}

/// The headers of a message, from the options for Apple and from `--header`.
struct MessageHeaders {
    /// The headers for Apple that have an option.
    var apple = PushNotification.AppleOptions()
    /// The headers of `--header`, by name.
    var others: [String: String] = [:]

    /// The values of `--priority`.
    static let priorities: [PushNotification.AppleOptions.Priority] = [.low, .normal, .immediate]

    /// Parses the options.
    static func take(_ format: MessageFormat, from arguments: inout Arguments) throws(UsageError) -> MessageHeaders {
        var headers = MessageHeaders()
        headers.others = try Self.others(format, from: &arguments)
        guard format == .template || format.platform == .apple else { return headers }
        headers.apple.pushType = try arguments.value(of: .pushType).map(
            PushNotification.AppleOptions.PushType.init)
        if let text = try arguments.value(of: .priority) {
            headers.apple.priority = priorities.first { String($0.rawValue) == text }
        }
        if let text = try arguments.value(of: .expires) {
            let isOnce = text.hasSameBytes(as: "once")
            headers.apple.expiration = isOnce ? .once : .at(try Moment(text, of: .expires).date)
        }
        headers.apple.topic = try arguments.value(of: .topic)
        headers.apple.collapseID = try arguments.value(of: .collapseID)
        return headers
    }

    /// Returns the error for an invalid header, with the option that sets it.
    func usageError(_ error: HubValidationError) -> UsageError {
        let options: [String: OptionName] = [
            "apns-push-type": .pushType, "apns-priority": .priority, "apns-expiration": .expires,
            "apns-topic": .topic, "apns-collapse-id": .collapseID,
        ]
        let option = error.path.flatMap { path in others[path] == nil ? options[path] : OptionName.header }
        return UsageError((option.map { "\($0): " } ?? "") + "\(error)")
    }

    /// Parses `--header`, which is repeatable.
    static func others(
        _ format: MessageFormat?, from arguments: inout Arguments
    ) throws(UsageError) -> [String: String] {
        var headers: [String: String] = [:]
        for (_, text) in try arguments.values(of: .header) {
            guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                throw UsageError("invalid --header \(Arguments.quoted(text)): expected NAME=VALUE")
            }
            if let platform = format?.platform, platform.row?.headerPrefix == nil || platform == .baidu {
                throw UsageError("--header: not supported for \(platform.format), which has no headers")
            }
            headers[String(text[..<equals])] = String(text[text.utf8.index(after: equals)...])
        }
        return headers
    }

    /// The options for a notification to Apple. A header with an option replaces its default.
    func appleOptions() throws -> PushNotification.AppleOptions {
        var options = apple
        for (name, value) in others {
            switch name.lowercased() {
            case "apns-push-type" where options.pushType == nil: options.pushType = .init(rawValue: value)
            case "apns-priority" where options.priority == nil:
                guard let number = Int(value) else { throw UsageError("--header apns-priority: expected a number") }
                options.priority = .init(rawValue: number)
            case "apns-topic" where options.topic == nil: options.topic = value
            case "apns-collapse-id" where options.collapseID == nil: options.collapseID = value
            default: options.additionalHeaders[name] = value
            }
        }
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
        try UsageError.parsing(.device) { try channel.checkForHeaders() }
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

    static func isName(_ name: Substring.UTF8View) -> Bool {
        (1...maximumNameLength).contains(name.count)
            && name.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
    }
}
