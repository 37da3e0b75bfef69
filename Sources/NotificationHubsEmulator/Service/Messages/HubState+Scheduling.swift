import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    /// How far ahead a message may be scheduled, in seconds: from five minutes to seven days.
    private static let scheduleWindow = 300.0...604_800

    mutating func schedule(_ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        guard call.tier == .standard else { throw .tier("Scheduled send") }
        guard !call.query.hasFlag("direct"), !call.query.hasFlag("test") else {
            throw .badRequest("A scheduled message is neither direct nor a test send")
        }
        let message = try call.message()
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
