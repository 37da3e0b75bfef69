import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    /// Returns a message's recipients: installations ordered by ID, then registrations ordered by ID.
    func recipients(of format: MessageFormat, _ audience: Audience) -> [Recipient] {
        let expression = audience.expression
        let recipients =
            store.candidates(for: expression?.node).flatMap { store.recipients(of: $0, for: format) }
            + registrations.candidates(for: expression?.node).compactMap { $0.recipient(of: format) }
        return recipients.filter { expression?.isTrue($0.tags.contains) ?? true }
    }

    /// Delivers a message and adds its telemetry to the log.
    mutating func record(
        _ message: Message, _ tags: String?, to recipients: [Recipient], _ id: PushNotification.ID, _ location: String,
        now: Date
    ) -> SendResult {
        var record = NotificationRecord(id: id, location: location, message: message, tags: tags, enqueueTime: now)
        let result = deliver(message, to: recipients, id, now: now)
        record.complete(result, now: now)
        notifications.add(record)
        return result
    }

    /// Delivers a message.
    ///
    /// - Returns: The result, without the recipients whose filled template is too long.
    mutating func deliver(
        _ message: Message, to recipients: [Recipient], _ id: PushNotification.ID, now: Date
    ) -> SendResult {
        var result = SendResult()
        let values = TemplateValues(message.values)
        // Most devices share a few templates, so each is parsed once per message.
        var templates: [TemplateSource: MessageTemplate] = [:]
        var (usedNames, missingNames): (Set<String>, Set<String>) = ([], [])
        var problems: [String] = []
        var firebase = FCMPayload.Checks()
        if message.format.platform == .apple {
            problems = ApplePayload.problems(body: message.body, headers: message.headers)
        }
        for recipient in recipients {
            if rejectedChannels.contains(recipient.channel) {
                result.rejected.append(recipient)
                continue
            }
            var (headers, body) = (message.headers, message.body)
            if let template = recipient.template?.content {
                let source = TemplateSource(
                    body: template.body,
                    kind: .init(recipient.channel.platform, headers: template.headers, body: template.body))
                // An invalid template was rejected when it was stored.
                guard let parts = templates[source] ?? (try? MessageTemplate(source.body, source.kind)) else {
                    continue
                }
                let isFirst = templates.updateValue(parts, forKey: source) == nil
                let pushVariables = TemplateValues(recipient.pushVariables)
                let value = { (name: String) -> String? in
                    usedNames.insert(name)
                    if let text = values[name] ?? pushVariables[name] { return text }
                    if !parts.defaultedNames.contains(name) { missingNames.insert(name) }
                    return nil
                }
                guard let filled = parts.filled(value),
                    let filledHeaders = Self.headers(of: template, for: recipient.channel.platform, value)
                else { continue }
                (headers, body) = (filledHeaders, filled)
                if isFirst, recipient.channel.platform == .apple, problems.isEmpty {
                    problems = ApplePayload.problems(body: body, headers: headers)
                }
            }
            if recipient.channel.platform == .fcmV1, let problem = firebase.problem(body: body) {
                if !problems.contains(problem) { problems.append(problem) }
                result.refused.append(recipient)
                continue
            }
            result.delivered.append(recipient)
            deliveries.append(
                HubEmulator.Delivery(
                    number: deliveries.count + 1, date: now, notificationID: id,
                    registrationID: recipient.clientRegistrationID, pushChannel: recipient.channel,
                    templateName: recipient.template?.name?.rawValue, headers: headers, body: body,
                    recipientTags: recipient.tags))
        }
        for problem in problems { warn(problem, now: now) }
        if !templates.isEmpty {
            let unusedNames = values.names.subtracting(usedNames)
            if !missingNames.isEmpty {
                warn("the message lacks properties of the templates: \(Self.list(missingNames))", now: now)
            }
            if !unusedNames.isEmpty {
                warn("no template of the recipients uses the properties: \(Self.list(unusedNames))", now: now)
            }
        }
        removeRejected(result.rejected, id, now: now)
        let tooLongCount = recipients.count - result.recipients.reduce(0) { $0 + $1.recipients.count }
        if tooLongCount > 0 {
            warn(
                "not delivered to \(tooLongCount) of \(recipients.count) recipients: the filled template exceeds "
                    + "\(MessageTemplate.maximumByteCount >> 10) KB", now: now)
        }
        return result
    }

    /// Returns names for a warning, in order.
    private static func list(_ names: Set<String>) -> String {
        names.sorted().prefix(10).joined(separator: ", ") + (names.count > 10 ? " and \(names.count - 10) more" : "")
    }

    private struct TemplateSource: Hashable {
        let body: String
        let kind: MessageTemplate.Kind
    }

    /// Returns a template's filled headers, including an Apple template's expiry; `nil` if they are too long.
    private static func headers(
        of template: Installation.Template, for platform: PushPlatform, _ value: (String) -> String?
    ) -> [String: String]? {
        func filled(_ text: String) -> String {
            // An invalid expression was rejected when the template was stored.
            let expression = (try? TemplateExpression(value: text)) ?? nil
            return expression?.text(value) ?? text
        }
        var headers: [String: String] = [:]
        var byteCount = 0
        for (name, text) in template.headers {
            let value = filled(text)
            byteCount += value.utf8.count
            guard byteCount <= MessageTemplate.maximumByteCount else { return nil }
            // The message's values may contain line breaks, which a header must not.
            if HTTPFields.isValue(value) { headers[name] = value }
        }
        if platform == .apple, let expiry = template.expiry, let time = Timestamp(filled(expiry.rawValue)) {
            headers["apns-expiration"] = String(Int64(time.date.timeIntervalSince1970))
        }
        return headers
    }
}
