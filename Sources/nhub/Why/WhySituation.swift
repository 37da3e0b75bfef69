import HubCommandLine
import NotificationHubs

/// The question that `nhub why` answers: the target of a message and, if given, the message.
struct WhyQuestion: Sendable {
    /// The option of the target, such as `--tag`, and its value.
    let option: OptionName
    let value: String
    /// The target; `nil` for all devices.
    let expression: TagExpression?
    /// The message's format; `nil` if there is no message.
    var format: MessageFormat?
    /// The message's values for templates; `nil` if there is no template message with values.
    var values: [String: String]?
    /// The message; `nil` if there is none, or if the client cannot send it.
    var notification: PushNotification?
    /// The problems that the platform has with a native message.
    var problems: [PlatformProblem] = []
}

extension WhyQuestion {
    /// Returns whether a scheduled message has the target of the question.
    func isTarget(_ scheduled: WhySituation.Scheduled) -> Bool {
        let other = scheduled.tags.flatMap { try? TagExpression(validating: $0) }
        return (scheduled.tags == nil) == (expression == nil) && other == expression
    }
}

/// Everything that is known about a question: what the hub and, if it is one, the emulator returned.
struct WhySituation: Sendable {
    /// A message that the hub sends later.
    struct Scheduled: Hashable, Sendable {
        let id: String
        let tags: String?
        /// The time of the send, in ISO 8601.
        let due: String
    }

    /// A send that the hub rejected.
    struct Rejection: Hashable, Sendable {
        let status: Int
        /// The reason in the response; `nil` if it is unknown.
        var detail: String?
        /// Whether the key of this command sent the message, and not another one.
        var isOwn = false
    }

    let question: WhyQuestion
    /// The number of registrations that were compared with the target's names; `nil` if these are all of the hub.
    var readCount: Int?
    /// The devices that were read, whether or not they match.
    var devices: [WhyDevice] = []
    /// The send that the hub rejected, if it is the last one.
    var rejection: Rejection?
    /// The scheduled messages of the hub.
    var scheduled: [Scheduled] = []
    /// The outcome of the message, with `--notification`.
    var outcome: PushNotification.Outcome?
    /// The platforms' feedback on devices.
    var feedback: [PushFeedback] = []
    /// The result for each device, with `--test`.
    var testResults: [PushNotification.TestOutcome.Result] = []
    /// The platforms for which the hub has credentials; `nil` if unknown.
    var credentials: Set<PushPlatform>?
    /// Whether the key has the Manage right, which includes Send.
    var hasManageRight = false
    /// The time of the last delivery to each device, by ID.
    var deliveries: [String: String] = [:]
    /// The limits of the answer, and events of the emulator.
    var notes: [String] = []

    /// The notes, and what the platforms of the recipients ignore in the message.
    var allNotes: [String] {
        var problems = recipients.isEmpty ? [] : question.problems
        var names: Set<String> = []
        var platform: PushPlatform?
        for group in templateGroups {
            // A missing property is a cause.
            problems += group.check.problems.filter { !problems.contains($0) && !group.check.names.contains($0.path) }
            names.formUnion(group.check.names)
            platform = group.key.platform
        }
        if let platform, let values = question.values {
            problems += PlatformProblem.unused(values, by: names, on: platform)
        }
        return problems.filter { $0.severity == .warning }.prefix(20).map(\.summary) + notes
    }

    /// The devices of the target, including expired ones.
    var matches: [WhyDevice] { devices.filter { !$0.parts(of: question.expression, receiving: nil).isEmpty } }

    /// The devices of the target that have not expired and receive messages of the format.
    var recipients: [WhyDevice] {
        matches.filter {
            $0.expiry == nil && !$0.parts(of: question.expression, receiving: question.format).isEmpty
        }
    }

    /// The recipients with the same template, and the result of filling it with the message.
    struct TemplateGroup {
        /// Everything that decides about the filled template.
        struct Key: Hashable {
            let name: String
            let platform: PushPlatform
            let template: Installation.Template
            let pushVariables: [String: String]
        }

        let key: Key
        let check: TemplateCheck
        let preview: TemplatePreview
        /// The IDs of the devices.
        var devices: [String] = []
    }

    /// The groups of the recipients, in the order of their first devices; empty without values. Most devices share a few templates.
    var templateGroups: [TemplateGroup] {
        guard let notification = question.notification, let values = question.values else { return [] }
        var groups: [TemplateGroup] = []
        var indices: [TemplateGroup.Key: Int] = [:]
        for device in recipients {
            for part in device.parts(of: question.expression, receiving: .template) {
                guard let template = part.template else { continue }
                let key = TemplateGroup.Key(
                    name: part.templateName ?? "", platform: device.platform, template: template,
                    pushVariables: part.pushVariables)
                let index = indices[key] ?? groups.count
                if index == groups.count {
                    indices[key] = index
                    groups.append(
                        TemplateGroup(
                            key: key,
                            check: TemplateCheck(
                                template, on: device.platform, message: notification, pushVariables: part.pushVariables),
                            preview: TemplatePreview(
                                template, on: device.platform, values: values, pushVariables: part.pushVariables)))
                }
                groups[index].devices.append(device.id)
            }
        }
        return groups
    }

    /// Returns the filled templates of a device, by name; empty without values.
    func previews(of device: WhyDevice) -> [(name: String, preview: TemplatePreview)] {
        guard let values = question.values else { return [] }
        return device.parts(of: question.expression, receiving: .template).compactMap { part in
            part.template.map {
                let preview = TemplatePreview(
                    $0, on: device.platform, values: values, pushVariables: part.pushVariables)
                return (part.templateName ?? "", preview)
            }
        }
    }
}
