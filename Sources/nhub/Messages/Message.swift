import HubCommandLine
import HubText
import NotificationHubs

/// A message as a command line has it, of `send` and `schedule`: a format, a target and a text.
struct Message {
    let format: MessageFormat
    let target: MessageTarget
    let isTest: Bool
    /// Whether what comes of a test is to show the devices' handles.
    let showsHandles: Bool
    let asJSON: Bool
    private let source: MessageSource

    /// Takes the message, and with it all that is left of the command line.
    ///
    /// - Parameter format: what was taken before.
    static func take(_ format: MessageFormat, from arguments: inout Arguments) throws(UsageError) -> Message {
        // Options with values first: they do not take a flag for their value, but might take what stands behind it.
        let target = try MessageTarget.take(from: &arguments)
        let appleOptions = format.platform == .apple ? try AppleOptions.take(from: &arguments) : .init()
        let (isTest, showsHandles) = (arguments.flag("--test"), arguments.flag("--handles"))
        guard isTest || !showsHandles else { throw UsageError("--handles goes with --test") }
        return Message(
            format: format, target: target, isTest: isTest, showsHandles: showsHandles,
            asJSON: arguments.flag("--json"),
            source: try MessageSource.take(format, appleOptions, from: &arguments))
    }

    /// Reads the text.
    func notification() throws -> PushNotification { try source.notification() }

    /// Makes a call that sends something, and says when nobody knows whether the hub has taken it.
    static func send(_ call: @escaping @Sendable () async throws -> ExitStatus) async throws -> ExitStatus {
        let status = try await Interrupt.endingEarly {
            do {
                return try await call()
            } catch let error as HubValidationError {
                throw UsageError("\(error)")
            } catch let error as HubError where error.code == .mayHaveBeenAccepted {
                throw PerhapsSent(error: error)
            }
        }
        if status.isOfSignal { Console.error("nhub: broken off: \(PerhapsSent.warning)") }
        return status
    }

    /// Nobody knows whether it was sent.
    struct PerhapsSent: Error, CustomStringConvertible {
        static let warning = "the hub may have taken the message, and sending it again may show it twice"
        let error: HubError

        /// What is wrong, in one line.
        var description: String { "perhaps sent: \(Self.warning): \(error)" }
    }
}

extension ExitStatus {
    fileprivate var isOfSignal: Bool { rawValue > 128 }
}

/// Where a message's text comes from, and what is made of it.
enum MessageSource {
    case ready(PushNotification)
    case file(Input, ([UInt8]) throws -> PushNotification)

    /// Takes what is left: flags of the format, and the operands.
    static func take(
        _ format: MessageFormat, _ appleOptions: PushNotification.AppleOptions, from arguments: inout Arguments
    ) throws(UsageError) -> MessageSource {
        let make: ([UInt8]) throws -> PushNotification
        switch format {
        case .template: return .ready(.template(try TemplateValues.take(from: &arguments)))
        case .platform(.apple): make = { try .apple(.json($0), options: appleOptions) }
        case .platform(.windows):
            make = arguments.flag("--raw") ? { try .windowsRaw($0) } : { try .windows(xml: text($0)) }
        case .platform(.windowsPhone):
            make = arguments.flag("--raw") ? { try .windowsPhoneRaw($0) } : { try .windowsPhone(xml: text($0)) }
        case .platform(.fcmV1): make = { try .fcmV1(.json($0)) }
        case .platform(.baidu): make = { try .baidu(.json($0)) }
        case .platform(let platform): make = { try .json(platform, .json($0)) }
        }
        return .file(Input(try arguments.operands(named: "the message's file, or - for standard input,")[0]), make)
    }

    /// Reads the message.
    ///
    /// - Throws: `UsageError` for an option that does not go with it, else what is wrong with the file.
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
                throw input.problem(with: "a message", error)
            }
        }
    }

    private static func text(_ bytes: [UInt8]) throws -> String {
        guard let text = String(strictUTF8: bytes) else { throw NoText() }
        return text
    }

    private struct NoText: Error, CustomStringConvertible {
        let description = "it is not UTF-8"
    }
}

extension HubValidationError {
    /// Whether an option is to blame, and not the body.
    fileprivate var isAboutHeader: Bool {
        code == .invalidHeader
    }
}

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

/// The values of a template message, as a command line has them: `name=value`.
enum TemplateValues {
    /// Takes the operands. What no template could name is an error, which would leave a gap in the notification.
    static func take(from arguments: inout Arguments) throws(UsageError) -> [String: String] {
        let operands = try arguments.operands()
        guard !operands.isEmpty else {
            throw UsageError("the values are missing: name=value, for each name that the templates have")
        }
        var values: [String: String] = [:]
        var names: Set<String> = []
        for operand in operands {
            guard let equals = operand.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                throw UsageError("the argument \(Arguments.quoted(operand)) is no name=value")
            }
            let name = operand.utf8[..<equals]
            guard isName(name) else {
                throw UsageError("a value's name has letters, digits and _ only, 1 to \(longestName) of them")
            }
            let text = String(Substring(name))
            guard names.insert(text.lowercased()).inserted else {
                throw UsageError("a value's name is there twice; templates do not tell upper case from lower case")
            }
            values[text] = String(Substring(operand.utf8[operand.utf8.index(after: equals)...]))
        }
        return values
    }

    private static let longestName = 120

    private static func isName(_ name: Substring.UTF8View) -> Bool {
        (1...longestName).contains(name.count)
            && name.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }
}
