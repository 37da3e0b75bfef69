import HubCommandLine
import NotificationHubs

/// A reason that a message does not reach a device.
enum WhyCause: Hashable, Sendable {
    /// The message is scheduled. The time is in ISO 8601; `nil` if it is unknown.
    case scheduled(due: String?)
    case cancelled
    /// The hub has not finished sending the message.
    case unfinished(PushNotification.Outcome.State)
    /// The service gave up on the message.
    case abandoned
    /// No device belonged to the target when the message was sent.
    case noTargetAtSend
    case throttled
    /// The hub rejected the send with status 403.
    ///
    /// - Parameter isCertain: Whether the key has the Send right, which leaves only a quota.
    case quota(isCertain: Bool)
    case rejected(status: Int, detail: String?)
    /// A platform rejected messages.
    case platform(PushPlatform, result: String, devices: [String], count: Int)
    /// `&&` and `||` are mixed, and the other grouping matches other devices.
    case precedence(TagPrecedence, count: Int, alternativeCount: Int)
    /// The hub has no devices at all.
    case noDevices
    /// No device has the ID.
    ///
    /// - Parameter readCount: The number of registrations that were compared, if there are others; `nil` for all of them.
    case noInstallation(String, similar: String?, readCount: Int?)
    case noUser(String, similar: String?, readCount: Int?)
    /// A tag has the form of a user's or an installation's ID, without the syntax of the expression.
    case misspelledOperand(tag: String, option: OptionName, id: String)
    case noTag(String, similar: String?, known: [String], readCount: Int?)
    /// Each tag has devices, but no device matches the expression.
    case noCombination([TagCount])
    case expired([String], isChannel: Bool, isAll: Bool)
    case wrongPlatform(PushPlatform, actual: [PushPlatform], count: Int)
    case noTemplate(count: Int, isAll: Bool)
    case invalidTemplate(String, device: String, reason: String)
    /// The platform will refuse the message, or no device will show it.
    ///
    /// - Parameter template: The template that yields the message; `nil` for a native message.
    case problem(PlatformProblem, template: String?, count: Int)
    case missingProperties([String], template: String, devices: [String])
    case noCredentials(PushPlatform)

    /// The number of devices with a tag.
    struct TagCount: Hashable, Sendable {
        let tag: String
        let count: Int
    }

    /// A stable name for programs.
    var code: String {
        switch self {
        case .scheduled: "scheduled"
        case .cancelled: "cancelled"
        case .unfinished: "unfinished"
        case .abandoned: "abandoned"
        case .noTargetAtSend: "noTargetFound"
        case .throttled: "throttled"
        case .quota: "quota"
        case .rejected: "rejected"
        case .platform: "platformRejected"
        case .precedence: "precedence"
        case .noDevices: "noDevices"
        case .noInstallation: "noInstallation"
        case .noUser: "noUser"
        case .misspelledOperand: "misspelledOperand"
        case .noTag: "noTag"
        case .noCombination: "noCombination"
        case .expired: "expired"
        case .wrongPlatform: "wrongPlatform"
        case .noTemplate: "noTemplate"
        case .invalidTemplate: "invalidTemplate"
        case .problem: "platformProblem"
        case .missingProperties: "missingProperties"
        case .noCredentials: "noCredentials"
        }
    }
}

extension WhyCause: CustomStringConvertible {
    /// The cause in one line.
    var description: String {
        switch self {
        case .scheduled(let due):
            "the message is scheduled for \(due ?? "later") and has not been sent (nhub cancel cancels it)"
        case .cancelled: "the message was cancelled before the hub sent it"
        case .unfinished(let state): "the hub has not finished sending the message: its state is \(state)"
        case .abandoned: "the service gave up on the message"
        case .noTargetAtSend: "the hub found no device for the message when it was sent"
        case .throttled: "the hub throttled the last message (429): wait, then send it again"
        case .quota(isCertain: true):
            "the hub rejected the last message (403): a quota is exhausted, such as the pushes or devices of its tier"
        case .quota(isCertain: false):
            "the hub rejected the last message (403): a quota is exhausted, or the sender's key lacks the Send right"
        case .rejected(let status, let detail):
            "the hub rejected the last message (\(status))" + (detail.map { ": \($0)" } ?? "")
        case .platform(let platform, let result, let devices, let count):
            "\(platform.format) rejected the message for "
                + (devices.isEmpty ? Self.devices(count) : Self.list(devices)) + ": \(result)"
        case .precedence(let groups, let count, let alternativeCount):
            "&& binds tighter than ||: the expression means \(groups.actual), which matches \(Self.devices(count)); "
                + "\(groups.alternative) matches \(alternativeCount)"
        case .noDevices: "the hub has no devices"
        case .noInstallation(let id, let similar, let readCount):
            "no installation \"\(id)\"" + Self.suggestion(similar, readCount)
        case .noUser(let id, let similar, let readCount):
            "no device belongs to the user \"\(id)\"" + Self.suggestion(similar, readCount)
        case .misspelledOperand(let tag, let option, let id):
            "no device has the tag \"\(tag)\": pass \(option) \(id) to address "
                + (option == .user ? "the user" : "the installation")
        case .noTag(let tag, let similar, let known, let readCount):
            "no device has the tag \"\(tag)\""
                + (similar != nil ? Self.suggestion(similar, readCount) : Self.known(known, readCount))
        case .noCombination(let counts):
            "no device matches the expression, but "
                + counts.map { "\($0.count) \($0.count == 1 ? "has" : "have") \($0.tag)" }.joined(separator: ", ")
        case .expired(let devices, let isChannel, let isAll):
            (isAll ? "every device of the target has expired: " : "expired: ") + Self.list(devices)
                + (isChannel ? " (the platform rejected the push channel)" : " (the expiration time has passed)")
        case .wrongPlatform(let wanted, let actual, let count):
            "the message is for \(wanted.format), but the \(Self.devices(count)) of the target "
                + "\(count == 1 ? "is" : "are") on \(actual.map(\.format).joined(separator: ", "))"
        case .noTemplate(let count, let isAll):
            (isAll ? "no device of the target has a template" : "\(Self.devices(count)) of the target have no template")
                + ", which a template message requires"
        case .invalidTemplate(let template, let device, let reason):
            "the template \"\(template)\" of \(device) is invalid: \(reason)"
        case .problem(let problem, let template, let count):
            "\(Self.devices(count)) \(count == 1 ? "matches" : "match"), but \(problem.summary)"
                + (template.map { $0.isEmpty ? "" : " (template \"\($0)\")" } ?? "")
        case .missingProperties(let names, let template, let devices):
            "the message lacks \(names.count == 1 ? "the property" : "the properties") "
                + names.map { "\"\($0)\"" }.joined(separator: ", ") + " of the template \"\(template)\": "
                + "\(Self.list(devices)) would show empty text"
        case .noCredentials(let platform): "the hub has no credentials for \(platform.format)"
        }
    }

    private static func devices(_ count: Int) -> String { "\(count) \(count == 1 ? "device" : "devices")" }

    /// Returns at most five names.
    private static func list(_ names: [String]) -> String {
        names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
    }

    private static func suggestion(_ name: String?, _ readCount: Int?) -> String {
        name.map { "; did you mean \"\($0)\"?" }
            ?? readCount.map { "; none of the first \($0) registrations has a similar one" } ?? ""
    }

    private static func known(_ tags: [String], _ readCount: Int?) -> String {
        let devices = readCount.map { "the first \($0) registrations" } ?? "the devices"
        return tags.isEmpty ? "; \(devices) have no tags" : "; \(devices) have the tags \(list(tags))"
    }
}
