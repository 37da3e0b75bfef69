import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    mutating func sendMessage(_ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        let message = try Self.message(call)
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

    /// The message that is the request's body.
    private static func message(_ call: ServiceCall) throws(ServiceRefusal) -> Message {
        try Message(call.headers, contentType: call.headers["Content-Type"], body: call.request.body)
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
        guard audience.expression == nil, !call.isForEveryoneByChoice else { return }
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

    /// Sends to many devices by their handles: one part of the body is the message, the other the handles.
    mutating func sendBatch(_ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        guard call.tier != .free else { throw .tier("Batch direct send") }
        guard call.query.hasFlag("direct") else { throw .badRequest("A batch is sent with the query's flag direct") }
        let parts = try MultipartReader.parts(
            of: call.request.body, contentType: call.headers["Content-Type"] ?? "", atMost: 2)
        guard let part = parts["notification"], let handles = parts["devices"], parts.count == 2 else {
            throw .badRequest("A batch has two parts, whose names are notification and devices")
        }
        let message = try Message(call.headers, contentType: part.headers["Content-Type"], body: part.body)
        guard let platform = message.format.platform, platform != .browser else {
            throw .badRequest("A batch is in the words of a platform, and not for browsers")
        }
        guard case .array(let devices)? = try? JSONValue(parsing: handles.body),
            !devices.isEmpty, devices.count <= PushNotification.Batch.maximumChunkCount
        else { throw .badRequest("The devices of a batch are a JSON array of 1 to 1000 handles") }
        var recipients: [Recipient] = []
        for case .string(let handle) in devices where !handle.isEmpty {
            recipients.append(Recipient(PushChannel(platform: platform, handle: handle)))
        }
        guard recipients.count == devices.count else { throw .badRequest("A device's handle is a text") }
        let id = notifications.newID(now: call.now)
        record(message, nil, to: recipients, id, call.location("messages/$batch", id), now: call.now)
        return call.accepted("messages/$batch", id)
    }

    /// How far ahead a message may be scheduled, in seconds: from five minutes to seven days.
    private static let scheduleWindow = 300.0...604_800

    mutating func schedule(_ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        guard call.tier == .standard else { throw .tier("Scheduled send") }
        guard !call.query.hasFlag("direct"), !call.query.hasFlag("test") else {
            throw .badRequest("A scheduled message is neither direct nor a test send")
        }
        let message = try Self.message(call)
        let audience = try Audience(call.headers)
        guard let text = call.headers["ServiceBusNotification-ScheduleTime"], let time = Timestamp(text) else {
            throw .badRequest("ServiceBusNotification-ScheduleTime is a date and time such as 2030-01-31T23:59:59")
        }
        guard Self.scheduleWindow.contains(time.date.timeIntervalSince(call.now)) else {
            throw .badRequest("ServiceBusNotification-ScheduleTime is from five minutes to seven days ahead")
        }
        warnAboutTarget(audience, call, count: recipients(of: message.format, audience).count)
        let id = notifications.newScheduledID(now: call.now)
        let location = call.location("schedulednotifications", id)
        let record = NotificationRecord(
            id: id, location: location, message: message, tags: audience.text, enqueueTime: call.now)
        try notifications.schedule(record, audience, due: time.date)
        return ServiceResponse.accepted(location: location)
    }

    mutating func cancel(_ id: String, _ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        guard call.tier == .standard else { throw .tier("Scheduled send") }
        guard notifications.cancel(id, now: call.now) else {
            throw ServiceRefusal(404, "The scheduled notification was not found")
        }
        return ServiceResponse.accepted(status: 200, location: nil)
    }

    func outcome(of id: String, _ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        guard call.tier == .standard else { throw .tier("Per message telemetry") }
        guard let record = notifications[id] else { throw ServiceRefusal(404, "The notification was not found") }
        return ServiceResponse.xml(status: 200, record.xml)
    }

    /// Sends the notification that is due next.
    mutating func sendNextScheduled() {
        guard let scheduled = notifications.takeNextScheduled() else { return }
        guard var record = notifications[scheduled.id] else { return }
        let recipients = recipients(of: record.message.format, scheduled.audience)
        let reach = deliver(record.message, to: recipients, record.id, now: scheduled.due)
        record.complete(reach, now: scheduled.due)
        notifications.add(record)
    }
}
