import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    mutating func sendMessage(_ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        let message = try call.message()
        let isTest = call.query.hasFlag("test")
        if call.headers["ServiceBusNotification-ScheduleTime"] != nil {
            warn(
                "the header ServiceBusNotification-ScheduleTime is ignored, and the message goes at once: what is scheduled "
                    + "is sent to /schedulednotifications", now: call.now)
        }
        let id = notifications.newID(now: call.now)
        if call.query.hasFlag("direct") {
            guard !isTest else { throw .badRequest("A message to a device's handle cannot be a test send") }
            if call.headers["ServiceBusNotification-Tags"] != nil {
                warn("a message to a device's handle: its tags are ignored", now: call.now)
            }
            let recipients = [Recipient(try Self.channel(call.headers, message.format))]
            record(message, nil, to: recipients, id, call.location("messages", id), now: call.now)
            return call.accepted("messages", id)
        }
        let audience = try Audience(call.headers)
        var recipients = recipients(of: message.format, audience)
        warnAboutTarget(audience, call, count: recipients.count)
        if isTest { recipients = Array(recipients.prefix(Self.maximumTestCount)) }
        let reach = record(
            message, audience.text, to: recipients, id, call.location("messages", id), now: call.now)
        guard isTest else { return call.accepted("messages", id) }
        var response = ServiceResponse.xml(status: 201, TestOutcome.xml(of: reach))
        response.headers["Location"] = call.accepted("messages", id).headers["Location"]
        return response
    }

    /// How many devices get a test message.
    private static let maximumTestCount = 10

    /// What a message may not have been meant to do.
    ///
    /// - Parameter count: how many places it reaches now.
    mutating func warnAboutTarget(_ audience: Audience, _ call: ServiceCall, count: Int) {
        if call.headers["ServiceBusNotification-DeviceHandle"] != nil {
            warn(
                "the header ServiceBusNotification-DeviceHandle is ignored: the query has no flag direct", now: call.now
            )
        }
        guard audience.condition == nil, !call.isForEveryoneByChoice else { return }
        if let tags = call.headers["Tags"] {
            warn(
                "the header Tags: \(tags) is ignored, as it is none of the service's: the one that it knows is "
                    + "ServiceBusNotification-Tags", now: call.now)
        }
        let format = call.headers["ServiceBusNotification-Format"] ?? ""
        warn(
            "broadcast: a message without ServiceBusNotification-Tags goes to everyone that takes the format "
                + "\(format), which are \(count) now", now: call.now)
    }

    /// The device that is addressed by its handle.
    private static func channel(_ headers: HubHeaders, _ format: MessageFormat) throws(ServiceRefusal) -> PushChannel {
        guard let handle = headers["ServiceBusNotification-DeviceHandle"], !handle.isEmpty else {
            throw .badRequest("A direct message needs the header ServiceBusNotification-DeviceHandle")
        }
        guard let platform = format.platform else {
            throw .badRequest("A direct message is in a platform's own words: a template has no device")
        }
        guard platform == .browser else { return PushChannel(platform: platform, handle: handle) }
        guard let p256dh = headers["P256DH"], let auth = headers["Auth"] else {
            throw .badRequest("A direct message to a browser needs the headers P256DH and Auth")
        }
        return .browser(.init(endpoint: handle, p256dh: p256dh, auth: auth))
    }
}
