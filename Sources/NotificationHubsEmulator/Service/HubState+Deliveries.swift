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
        var recipients: [Recipient] = []
        func add(_ recipient: Recipient) {
            if expression?.isTrue(recipient.tags.contains) ?? true { recipients.append(recipient) }
        }
        for device in store.candidates(for: expression?.node) { store.recipients(of: device, for: format).forEach(add) }
        for entry in registrations.candidates(for: expression?.node) {
            if let recipient = entry.recipient(of: format) { add(recipient) }
        }
        return recipients
    }

    /// Delivers a message and adds its telemetry to the log.
    mutating func record(
        _ message: Message, _ tags: String?, to recipients: [Recipient], _ id: PushNotification.ID, _ location: String,
        now: Date
    ) -> SendResult {
        warnAboutCredentials(for: recipients, now: now)
        var record = NotificationRecord(id: id, location: location, message: message, tags: tags, enqueueTime: now)
        let result = deliver(message, to: recipients, id, now: now)
        record.complete(result, now: now)
        notifications.add(record)
        return result
    }

    /// Warns about platforms to which the service could not send.
    private mutating func warnAboutCredentials(for recipients: [Recipient], now: Date) {
        guard let credentials else { return }
        let missing = Set(recipients.map(\.channel.platform)).subtracting(credentials)
        for platform in missing.sorted(by: { $0.rawValue < $1.rawValue }) {
            warn(
                "the hub has no credentials for \(platform.format), so the service would not deliver the message: "
                    + "set them with nhub hub update", now: now)
        }
    }

    /// Delivers a message.
    ///
    /// - Returns: The result, without the recipients whose filled template is too long.
    mutating func deliver(
        _ message: Message, to recipients: [Recipient], _ id: PushNotification.ID, now: Date
    ) -> SendResult {
        var result = SendResult()
        var rendering = MessageRendering(message)
        for recipient in recipients {
            let channel = recipient.channel
            if rejectedChannels.contains(channel) {
                result.rejected.append(recipient)
                continue
            }
            guard let (headers, body) = rendering.content(for: recipient) else { continue }
            if rendering.isRefused(body, headers, by: channel.platform) {
                result.refused.append(recipient)
                continue
            }
            result.delivered.append(recipient)
            deliveries.append(
                HubEmulator.Delivery(
                    number: deliveries.count + 1, date: now, notificationID: id,
                    registrationID: recipient.clientRegistrationID, pushChannel: channel,
                    templateName: recipient.template?.name?.rawValue, headers: headers, body: body,
                    recipientTags: recipient.tags))
        }
        for warning in rendering.warnings { warn(warning, now: now) }
        for (vendor, recipients) in Dictionary(grouping: result.refused, by: { $0.channel.platform.row?.vendor ?? "" })
        {
            let devices = recipients.count == 1 ? "1 recipient" : "\(recipients.count) recipients"
            warn("rejected by \(vendor): not delivered to \(devices)", now: now)
        }
        removeRejected(result.rejected)
        writeFeedback(result, id, now: now)
        let tooLongCount = recipients.count - result.recipients.reduce(0) { $0 + $1.recipients.count }
        if tooLongCount > 0 {
            warn(
                "not delivered to \(tooLongCount) of \(recipients.count) recipients: the filled template exceeds "
                    + "\(MessageTemplate.maximumByteCount >> 10) KB", now: now)
        }
        return result
    }
}
