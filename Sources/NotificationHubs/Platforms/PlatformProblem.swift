/// A part of a notification or a template that a push platform refuses or ignores, although the service accepts it.
///
/// ```swift
/// for problem in notification.problems { logger.warning("\(problem)") }
/// ```
///
/// The rules are those that the platforms document. A notification without problems can still fail: the platform also knows
/// the app's credentials and the device.
public struct PlatformProblem: Hashable, Sendable {
    /// The effect of a problem, in detail.
    package enum Effect: Hashable, Sendable {
        /// The hub does not store the template.
        case rejectedByHub
        /// The platform refuses the notification.
        case refused
        /// The platform delivers the notification, and no device shows it.
        case notShown
        /// A part is ignored, or is probably not meant.
        case ignored
    }

    /// The effect of a problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Severity: String, Hashable, Sendable {
        /// The platform refuses the notification, or no device shows it.
        case failure
        /// The platform or the device ignores a part, or the author probably meant something else.
        case warning
    }

    /// The effect.
    public var severity: Severity { effect == .ignored ? .warning : .failure }
    /// The platform.
    public let platform: PushPlatform
    /// The part: members of the body separated by periods, such as `message.android.ttl`, or the name of a header or of a
    /// template's property; empty for the body as a whole.
    public let path: String
    /// The problem.
    public let text: String
    /// The change to make.
    public let remedy: String
    /// The effect in detail.
    package let effect: Effect
    /// The rule, for an error that prevents the send.
    let code: HubValidationError.Code
}

extension PlatformProblem: CustomStringConvertible {
    /// The part, the problem and its remedy, in one line. It quotes names from the body, but no values.
    public var description: String { (path.isEmpty ? "" : "\(path): ") + "\(text): \(remedy)" }
}

extension PlatformProblem {
    /// The effect, the part, the problem and its remedy, in one line.
    package var summary: String {
        let vendor = platform.row?.vendor ?? platform.rawValue
        return switch effect {
        case .rejectedByHub: "the hub will reject the template: \(self)"
        case .refused: "\(vendor) will reject the message: \(self)"
        case .notShown: "no device of \(vendor) will show the message: \(self)"
        case .ignored: "\(vendor): \(self)"
        }
    }
}

/// The problems of one notification, while a platform's rules are applied to it.
struct PlatformProblems {
    let platform: PushPlatform
    private(set) var all: [PlatformProblem] = []

    init(_ platform: PushPlatform) {
        self.platform = platform
    }

    /// Adds a reason for which the platform refuses the notification.
    mutating func refuse(
        _ path: String, _ text: String, _ remedy: String, _ code: HubValidationError.Code = .invalidPayload
    ) {
        add(.refused, path, text, remedy, code)
    }

    /// Adds a reason for which the platform delivers the notification, but no device shows it.
    mutating func fail(_ path: String, _ text: String, _ remedy: String) { add(.notShown, path, text, remedy) }

    /// Adds a part that is ignored, or that is probably not meant.
    mutating func warn(_ path: String, _ text: String, _ remedy: String) { add(.ignored, path, text, remedy) }

    /// Adds a problem.
    mutating func add(
        _ effect: PlatformProblem.Effect, _ path: String, _ text: String, _ remedy: String,
        _ code: HubValidationError.Code = .invalidPayload
    ) {
        all.append(
            PlatformProblem(platform: platform, path: path, text: text, remedy: remedy, effect: effect, code: code))
    }
}

extension [PlatformProblem] {
    /// Throws if the platform would refuse the notification or no device would show it.
    package func throwFailure() throws(HubValidationError) {
        guard let problem = first(where: { $0.severity == .failure }) else { return }
        throw HubValidationError(
            problem.code, "\(problem.text): \(problem.remedy)", path: problem.path.isEmpty ? nil : problem.path)
    }
}
