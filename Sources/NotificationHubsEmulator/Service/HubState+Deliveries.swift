import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    /// Whom a message reaches: installations ordered by their ids, then registrations by theirs.
    func recipients(of format: MessageFormat, _ audience: Audience) -> [Recipient] {
        let expression = audience.expression
        let places =
            store.candidates(for: expression?.node).flatMap { $0.recipients(of: format) }
            + registrations.candidates(for: expression?.node).compactMap { $0.recipient(of: format) }
        return places.filter { expression?.isTrue($0.tags.contains) ?? true }
    }

    /// Delivers a message, and remembers what became of it.
    ///
    /// - Returns: whom it reached, and whom not.
    @discardableResult
    mutating func record(
        _ message: Message, _ tags: String?, to recipients: [Recipient], _ id: PushNotification.ID, _ location: String,
        now: Date
    ) -> Reach {
        var record = NotificationRecord(id: id, location: location, message: message, tags: tags, enqueueTime: now)
        let reach = deliver(message, to: recipients, id, now: now)
        record.complete(reach, now: now)
        notifications.add(record)
        return reach
    }

    /// Delivers a message.
    ///
    /// - Returns: whom it reached, and whom their platforms have refused; not those whose templates become too long by it.
    mutating func deliver(_ message: Message, to recipients: [Recipient], _ id: PushNotification.ID, now: Date) -> Reach
    {
        var reach = Reach()
        let values = TemplateValues(message.values)
        // Most devices have the same few templates: each is read once a message.
        var templates: [TemplateSource: MessageTemplate] = [:]
        for recipient in recipients {
            if refused.contains(recipient.channel) {
                reach.expired.append(recipient)
                continue
            }
            var (headers, body) = (message.headers, message.body)
            if let template = recipient.template?.content {
                let source = TemplateSource(
                    body: template.body, kind: .init(recipient.channel.platform, headers: template.headers))
                // What cannot be read was not taken.
                guard let parts = templates[source] ?? (try? MessageTemplate(source.body, source.kind)) else {
                    continue
                }
                templates[source] = parts
                let own = TemplateValues(recipient.pushVariables)
                let value = { (name: String) in values[name] ?? own[name] }
                guard let filled = parts.filled(value),
                    let filledHeaders = Self.headers(of: template, for: recipient.channel.platform, value)
                else { continue }
                (headers, body) = (filledHeaders, filled)
            }
            reach.reached.append(recipient)
            deliveries.append(
                HubEmulator.Delivery(
                    number: deliveries.count + 1, date: now, notificationID: id,
                    registrationID: recipient.ownRegistrationID, pushChannel: recipient.channel,
                    templateName: recipient.template?.name?.rawValue, headers: headers, body: body,
                    place: recipient.tags))
        }
        forget(reach.expired, id, now: now)
        let tooLongCount = recipients.count - reach.reached.count - reach.expired.count
        if tooLongCount > 0 {
            warn(
                "\(tooLongCount) of \(recipients.count) places get nothing: their templates, filled, "
                    + "have over \(MessageTemplate.maximumByteCount >> 10) KB", now: now)
        }
        return reach
    }

    private struct TemplateSource: Hashable {
        let body: String
        let kind: MessageTemplate.Kind
    }

    /// A template's headers, filled, and for Apple's devices its expiry among them; `nil` if they become too long.
    private static func headers(
        of template: Installation.Template, for platform: PushPlatform, _ value: (String) -> String?
    ) -> [String: String]? {
        func filled(_ text: String) -> String {
            // What cannot be read was not taken.
            let expression = (try? TemplateExpression(value: text)) ?? nil
            return expression?.text(value) ?? text
        }
        var headers: [String: String] = [:]
        var byteCount = 0
        for (name, text) in template.headers {
            let value = filled(text)
            byteCount += value.utf8.count
            guard byteCount <= MessageTemplate.maximumByteCount else { return nil }
            // A value of the message's may have line breaks, with which there is no such header.
            if HubHeaders.isValue(value) { headers[name] = value }
        }
        if platform == .apple, let expiry = template.expiry, let time = Timestamp(filled(expiry.rawValue)) {
            headers["apns-expiration"] = String(Int64(time.date.timeIntervalSince1970))
        }
        return headers
    }
}
