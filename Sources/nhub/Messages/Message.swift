import HubCommandLine
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
