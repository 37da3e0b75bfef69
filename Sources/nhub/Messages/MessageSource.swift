import HubCommandLine
import HubText
import NotificationHubs

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
