import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    @Sendable static func sendMessage(_ call: ServiceCall, _: String) throws(ServiceError) -> Route.Change {
        let message = try Self.message(call)
        return { hub throws(ServiceError) in try hub.send(message, call) }
    }

    private mutating func send(_ message: Message, _ call: ServiceCall) throws(ServiceError) -> HubResponse {
        let isTest = call.query.hasFlag("test")
        if call.headers["ServiceBusNotification-ScheduleTime"] != nil {
            warn(
                "the header ServiceBusNotification-ScheduleTime is ignored and the message is sent immediately: to schedule "
                    + "it, send it to /schedulednotifications", now: call.now)
        }
        let id = notifications.newID(now: call.now)
        if call.query.hasFlag("direct") {
            guard !isTest else { throw .badRequest("a direct message cannot be a test send") }
            if call.headers["ServiceBusNotification-Tags"] != nil {
                warn("the header ServiceBusNotification-Tags is ignored in a direct message", now: call.now)
            }
            let recipients = [Recipient(try Self.channel(call.headers, message.format))]
            _ = record(message, nil, to: recipients, id, call.location("messages", id), now: call.now)
            return call.accepted("messages", id)
        }
        let audience = try Audience(call.headers)
        var recipients = recipients(of: message.format, audience)
        warnAboutTarget(audience, call, count: recipients.count)
        if isTest { recipients = Array(recipients.prefix(Self.maximumTestCount)) }
        let result = record(
            message, audience.text, to: recipients, id, call.location("messages", id), now: call.now)
        guard isTest else { return call.accepted("messages", id) }
        var response = ServiceResponse.xml(status: 201, TestOutcome.xml(of: result))
        response.headers["Location"] = call.accepted("messages", id).headers["Location"]
        return response
    }

    /// Returns the message in the request.
    private static func message(_ call: ServiceCall) throws(ServiceError) -> Message {
        try Message(call.headers, contentType: call.headers["Content-Type"], body: call.request.body)
    }

    /// The maximum number of recipients of a test send.
    private static let maximumTestCount = 10

    /// Warns about a target that the sender may not intend.
    ///
    /// - Parameter count: The current number of recipients.
    mutating func warnAboutTarget(_ audience: Audience, _ call: ServiceCall, count: Int) {
        if call.headers["ServiceBusNotification-DeviceHandle"] != nil {
            warn(
                "the header ServiceBusNotification-DeviceHandle is ignored: add the flag direct to the query",
                now: call.now)
        }
        let format = call.headers["ServiceBusNotification-Format"] ?? MessageFormat.template.name
        if let text = audience.text {
            if count == 0 { warn("no recipient of the format \(format) matches \(text): \(knownTags)", now: call.now) }
            return
        }
        guard !call.isBroadcastIntended else { return }
        if let tags = call.headers["Tags"] {
            warn("the header Tags: \(tags) is ignored: send ServiceBusNotification-Tags instead", now: call.now)
        }
        warn(
            "broadcast: a message without ServiceBusNotification-Tags goes to every recipient of the format \(format), "
                + "currently \(count)", now: call.now)
    }

    /// The tags of the hub's devices, for a warning.
    private var knownTags: String {
        let tags = store.tags(atMost: 11).union(registrations.tags(atMost: 11))
        let names = tags.map(\.text).sorted { $0.precedesByBytes($1) }
        if names.isEmpty { return "the hub's devices have no tags" }
        return "the hub's devices have the tags " + names.prefix(10).joined(separator: ", ")
            + (names.count > 10 ? ", …" : "")
    }

    /// Returns the device that a direct message addresses.
    private static func channel(_ headers: HubHeaders, _ format: MessageFormat) throws(ServiceError) -> PushChannel {
        guard let handle = headers["ServiceBusNotification-DeviceHandle"], !handle.isEmpty else {
            throw .badRequest("missing header ServiceBusNotification-DeviceHandle: a direct message requires it")
        }
        guard let platform = format.platform else {
            throw .badRequest("a direct message must have a platform's format, not template")
        }
        guard platform == .browser else { return PushChannel(platform: platform, handle: handle) }
        guard let p256dh = headers["P256DH"], let auth = headers["Auth"] else {
            throw .badRequest("a direct message to a browser requires the headers P256DH and Auth")
        }
        return .browser(.init(endpoint: handle, p256dh: p256dh, auth: auth))
    }

    /// Sends a batch: a multipart body with a message and the handles of its devices.
    mutating func sendBatch(_ call: ServiceCall) throws(ServiceError) -> HubResponse {
        guard call.tier != .free else { throw .unavailableInTier("Batch direct send") }
        guard call.query.hasFlag("direct") else { throw .badRequest("a batch requires the flag direct in the query") }
        let parts = try MultipartReader.parts(
            of: call.request.body, contentType: call.headers["Content-Type"] ?? "", atMost: 2)
        guard let part = parts["notification"], let handles = parts["devices"], parts.count == 2 else {
            throw .badRequest("a batch must have two parts, named notification and devices")
        }
        let message = try Message(call.headers, contentType: part.headers["Content-Type"], body: part.body)
        guard let platform = message.format.platform, platform != .browser else {
            throw .badRequest("a batch must have a platform's format, but not browser or template")
        }
        guard case .array(let devices)? = try? JSONValue(parsing: handles.body),
            !devices.isEmpty, devices.count <= PushNotification.Batch.maximumDeviceCount
        else { throw .badRequest("the part devices must be a JSON array of 1 to 1000 handles") }
        var recipients: [Recipient] = []
        for case .string(let handle) in devices where !handle.isEmpty {
            recipients.append(Recipient(PushChannel(platform: platform, handle: handle)))
        }
        guard recipients.count == devices.count else {
            throw .badRequest("each handle in the part devices must be a non-empty string")
        }
        let id = notifications.newID(now: call.now)
        _ = record(message, nil, to: recipients, id, call.location("messages/$batch", id), now: call.now)
        return call.accepted("messages/$batch", id)
    }

    /// The delays that a scheduled message can have, in seconds: five minutes to seven days.
    private static let scheduleWindow = 300.0...604_800

    mutating func schedule(_ call: ServiceCall) throws(ServiceError) -> HubResponse {
        guard call.tier == .standard else { throw .unavailableInTier("Scheduled send") }
        guard !call.query.hasFlag("direct"), !call.query.hasFlag("test") else {
            throw .badRequest("a scheduled message cannot have the flag direct or test")
        }
        let message = try Self.message(call)
        let audience = try Audience(call.headers)
        guard let text = call.headers["ServiceBusNotification-ScheduleTime"], let time = Timestamp(text) else {
            throw .badRequest(
                "missing or invalid ServiceBusNotification-ScheduleTime: expected a UTC time such as 2030-01-31T23:59:59"
            )
        }
        guard Self.scheduleWindow.contains(time.date.timeIntervalSince(call.now)) else {
            throw .badRequest("ServiceBusNotification-ScheduleTime must be five minutes to seven days ahead")
        }
        warnAboutTarget(audience, call, count: recipients(of: message.format, audience).count)
        let id = notifications.newScheduledID(now: call.now)
        let location = call.location("schedulednotifications", id)
        let record = NotificationRecord(
            id: id, location: location, message: message, tags: audience.text, enqueueTime: call.now)
        try notifications.schedule(record, audience, due: time.date)
        return ServiceResponse.accepted(location: location)
    }

    mutating func cancel(_ id: String, _ call: ServiceCall) throws(ServiceError) -> HubResponse {
        guard call.tier == .standard else { throw .unavailableInTier("Scheduled send") }
        guard notifications.cancel(id, now: call.now) else {
            throw ServiceError(404, "scheduled notification not found")
        }
        return ServiceResponse.accepted(status: 200, location: nil)
    }

    func outcome(of id: String, _ call: ServiceCall) throws(ServiceError) -> HubResponse {
        guard call.tier == .standard else { throw .unavailableInTier("Per message telemetry") }
        guard let record = notifications[id] else { throw ServiceError(404, "notification not found") }
        return ServiceResponse.xml(status: 200, record.xml)
    }

    /// Sends the scheduled notification with the earliest time.
    mutating func sendNextScheduled() {
        guard let scheduled = notifications.removeNextScheduled() else { return }
        guard var record = notifications[scheduled.id] else { return }
        let recipients = recipients(of: record.message.format, scheduled.audience)
        let result = deliver(record.message, to: recipients, record.id, now: scheduled.due)
        record.complete(result, now: scheduled.due)
        notifications.add(record)
    }
}
