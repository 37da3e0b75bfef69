import HubCommandLine
import HubText
import NotificationHubs
import SharedAccessSignature

/// `nhub why`: explains why a message does or does not reach the devices of a target.
enum WhyCommand: Subcommand {
    static let command = Command(
        "why", summary: "Explain why a message does not reach the devices of a target.",
        usage: ["TARGET [--format FORMAT] [--message FILE] [options] [--json] [NAME=VALUE...]"],
        discussion: [
            """
            The first line names the cause: no such tag, user or installation; the precedence of operators; expired devices; \
            another platform; a missing template or property; a message that the platform will reject or no device will show; \
            a scheduled message; a quota, throttling or another rejection by the hub; or a rejection by the platform. The devices of the target follow, without their handles.
            """,
            """
            Without a message, only the target is examined. For a template message, pass its properties as NAME=VALUE, or as a JSON object of strings with --message. For a native message, pass --format and --message.
            """,
            """
            A target other than --installation requires the Manage right. The service does not list expired devices: the command \
            finds those that the platforms' feedback names, which requires the Standard tier. The service keeps no list of \
            scheduled or rejected messages: pass --notification or --test. An emulator has these lists.
            """,
        ],
        groups: [
            .init(
                [.targetTag, .targetExpression, .targetInstallation, .targetUser, .targetEveryone],
                title: "TARGET, exactly one of"),
            .init([
                .init(
                    .format, value: "FORMAT", kind: .choices(formatNames),
                    help: "The message's format. Default: template, if there is a message."),
                .init(
                    .message, value: "FILE",
                    help: """
                        The message, as nhub send accepts it, or - for standard input; for template, a JSON object of strings.
                        """),
                .header,
                .init(.notification, value: "ID", help: "Also read the outcome of this message."),
                .init(
                    .test,
                    help: "Also send the message to at most ten devices of the target. They show it."),
                .init(
                    .json,
                    help: """
                        Print a JSON object: summary, causes (each with code and message), option, value, format, matchCount, \
                        recipientCount, devices, outcome, notes.
                        """),
            ]), .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "no cause was found: all devices of the target would receive the message"),
                    (.failure, "a cause was found; or the hub rejected a request, or could not be reached"),
                    (.usage, "invalid command line or setting; nothing was sent"),
                    (.unreadable, "the file cannot be read or is invalid, or the result cannot be written"),
                ], signal: ""),
        ])

    private static let formatNames = MessageFormat.all.flatMap { format in
        [format.name] + (format.platform.map(PlatformName.aliases) ?? [])
    }

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let connection = try arguments.connection()
        let (question, target) = try WhyQuestion.take(from: &arguments)
        let notification = try arguments.value(of: .notification).map { text in
            try UsageError.parsing(.notification) { try PushNotification.ID(validating: text) }
        }
        let (isTest, asJSON) = (arguments.flag(.test), arguments.flag(.json))
        var message = try WhyMessage(&arguments)
        if isTest, !message.hasContent { throw UsageError("--test requires a message: pass --message or NAME=VALUE") }
        let settings = try connection.settings()
        let hub = try settings.hub()
        let sent = try message.read()
        var asked = question
        (asked.format, asked.values) = (message.format, message.values)
        (asked.notification, asked.problems) = (sent, message.problems)
        let complete = asked
        return try await Interrupt.exitStatus {
            var collector = WhyCollector(hub, complete)
            let emulator = try await WhyEmulator.connect(settings)
            if isTest {
                guard let sent else { throw InputError(description: "the client cannot send the message: omit --test") }
                try await collector.test(sent, to: target)
            }
            try await collector.readDevices(emulator)
            if let notification { try await collector.readOutcome(of: notification) }
            try await collector.readFeedback()
            // An emulator needs no credentials, even if its control API requires a token.
            if emulator == nil, !settings.connection.endpoint.isDevelopmentEmulator {
                try await collector.readDescription(try settings.namespace())
            }
            return try WhyReport(collector.situation).write(asJSON: asJSON)
        }
    }
}

extension WhyQuestion {
    /// Parses the target.
    ///
    /// - Throws: `UsageError` unless there is exactly one valid target.
    static func take(
        from arguments: inout Arguments
    ) throws(UsageError) -> (question: WhyQuestion, target: PushNotification.Target) {
        let given = try arguments.values(of: .tag, .expression, .installation, .user)
        let isEveryone = arguments.flag(.everyone)
        guard given.count + (isEveryone ? 1 : 0) == 1 else {
            let options = "--tag, --expression, --installation, --user or --everyone"
            throw UsageError(
                given.isEmpty ? "missing target: pass \(options)" : "more than one target: pass one of \(options)")
        }
        guard let (option, value) = given.first else {
            return (WhyQuestion(option: .everyone, value: "", expression: nil), .everyone)
        }
        let expression = try UsageError.parsing(option) {
            let expression = try MessageTarget.expression(option, value)
            try expression.validate()
            return expression
        }
        return (WhyQuestion(option: option, value: value, expression: expression), .expression(expression))
    }
}

/// The message of `nhub why`, which is optional.
private struct WhyMessage {
    /// The format; `nil` if there is no message.
    private(set) var format: MessageFormat?
    /// The values of a template message; `nil` if they are not given.
    private(set) var values: [String: String]?
    private let input: Input?
    private let headers: [String: String]
    /// The problems that the platform has with a native message, after it was read.
    private(set) var problems: [PlatformProblem] = []

    /// Parses the options and the operands.
    init(_ arguments: inout Arguments) throws(UsageError) {
        let name = try arguments.value(of: .format)
        input = try arguments.value(of: .message).map(Input.init)
        if let name {
            format =
                name.utf8.isEqual(ignoringCase: MessageFormat.template.name)
                ? .template : .platform(try PlatformName.platform(name, of: .format))
        }
        headers = try MessageHeaders.others(format, from: &arguments)
        let given = try TemplateValues.takeIfPresent(from: &arguments)
        guard !given.isEmpty else {
            if input != nil { format = format ?? .template }
            return
        }
        guard format?.platform == nil else { throw UsageError("NAME=VALUE is supported only for the format template") }
        guard input == nil else { throw UsageError("--message and NAME=VALUE cannot be combined") }
        (format, values) = (.template, given)
    }

    /// Whether there is a message to send.
    var hasContent: Bool { input != nil || values != nil }

    /// Reads the message, and returns it; `nil` if it has no content.
    mutating func read() throws -> PushNotification? {
        if let platform = format?.platform {
            guard let input else { return nil }
            let bytes = try input.bytes()
            do {
                let message = try MessageSource.notification(bytes, for: platform, .init(others: headers))
                problems = message.problems
                return message
            } catch {
                // The command explains a message that the client does not send.
                problems = platform.problems(
                    body: bytes, headers: headers.overriding(["X-WNS-Type": "wns/toast", "X-NotificationClass": "2"]))
                guard problems.contains(where: { $0.severity == .failure }) else {
                    throw input.invalid("message", error)
                }
                return nil
            }
        }
        if let input { values = try input.read(as: "message") { try Self.values($0) } }
        do {
            return try values.map { try .template($0, headers: headers) }
        } catch {
            throw UsageError("\(error)")
        }
    }

    private static func values(_ bytes: [UInt8]) throws -> [String: String] {
        struct InvalidValuesError: Error, CustomStringConvertible {
            let description = "expected a JSON object whose members are strings with different names"
        }
        guard case .object(let object) = try JSONValue(parsing: bytes) else { throw InvalidValuesError() }
        var values: [String: String] = [:]
        for member in object.members {
            guard case .string(let text) = member.value, values.updateValue(text, forKey: member.name) == nil else {
                throw InvalidValuesError()
            }
        }
        return values
    }
}
