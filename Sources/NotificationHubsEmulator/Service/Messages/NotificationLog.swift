import HubText
package import NotificationHubs

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A hub's latest sent notifications and its scheduled notifications.
package struct NotificationLog: Sendable {
    struct Scheduled: Sendable {
        let id: PushNotification.ID
        let due: Date
        let audience: Audience
    }

    private static let maximumCount = 10_000
    private static let maximumScheduledCount = 1000
    private var records: [PushNotification.ID: NotificationRecord] = [:]
    /// The IDs of the sent notifications, oldest first.
    private var order: [PushNotification.ID] = []
    /// The approximate memory size of the sent notifications, in bytes.
    private var sentByteCount = 0
    private var scheduledByteCount = 0
    /// The maximum size of the sent notifications in bytes.
    var byteLimit: Int
    /// The scheduled notifications, in the order in which they are due.
    private var scheduled: [Scheduled] = []
    /// The number of IDs that were created.
    private(set) var count = 0
    /// The number of notifications that were sent or cancelled.
    package private(set) var sentCount = 0

    /// Creates an empty log.
    init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    /// The approximate memory size in bytes.
    var byteCount: Int { sentByteCount + scheduledByteCount }

    package subscript(id: PushNotification.ID) -> NotificationRecord? { records[id] }

    /// Returns the notification with an ID that a path contains; `nil` if it is invalid or unknown.
    subscript(text: String) -> NotificationRecord? {
        (try? PushNotification.ID(validating: text)).flatMap { records[$0] }
    }

    /// The time at which the next scheduled notification is due; `nil` if none is scheduled.
    var nextDue: Date? { scheduled.first?.due }

    /// The scheduled notifications and their times, in the order in which they are due.
    package var scheduledRecords: [(record: NotificationRecord, due: Date)] {
        scheduled.compactMap { item in records[item.id].map { ($0, item.due) } }
    }

    /// Returns the sent or cancelled notifications that follow a number, oldest first.
    package func sent(after number: Int) -> [NotificationRecord] {
        order.suffix(max(0, sentCount - max(0, number))).compactMap { records[$0] }
    }

    /// Ensures that the numbers in new IDs are greater than a number.
    mutating func advance(to number: Int) {
        count = max(count, number)
    }

    /// Adds a sent notification. If the log exceeds its limits, the older half is removed.
    mutating func add(_ record: NotificationRecord) {
        records[record.id] = record
        order.append(record.id)
        sentCount += 1
        sentByteCount += record.byteCount
        guard order.count > Self.maximumCount || sentByteCount > byteLimit else { return }
        let oldest = order.prefix(order.count / 2)
        for id in oldest { sentByteCount -= records.removeValue(forKey: id)?.byteCount ?? 0 }
        order.removeFirst(oldest.count)
    }

    /// Adds a notification to send at a later time.
    mutating func schedule(
        _ record: NotificationRecord, _ audience: Audience, due: Date
    ) throws(ServiceError) {
        guard scheduled.count < Self.maximumScheduledCount else {
            throw ServiceError(
                403, "too many scheduled notifications (allowed by the emulator: at most \(Self.maximumScheduledCount))"
            )
        }
        records[record.id] = record
        let index = scheduled.firstIndex { $0.due > due } ?? scheduled.endIndex
        scheduled.insert(Scheduled(id: record.id, due: due, audience: audience), at: index)
        scheduledByteCount += record.byteCount
    }

    /// Removes and returns the scheduled notification that is due first.
    mutating func removeNextScheduled() -> Scheduled? {
        scheduled.isEmpty ? nil : removeScheduled(at: 0)
    }

    /// Cancels a scheduled notification.
    ///
    /// - Returns: Whether a notification with this ID was scheduled.
    mutating func cancel(_ text: String, now: Date) -> Bool {
        guard var record = self[text], let index = scheduled.firstIndex(where: { $0.id == record.id }) else {
            return false
        }
        _ = removeScheduled(at: index)
        record.cancel(now: now)
        add(record)
        return true
    }

    private mutating func removeScheduled(at index: Int) -> Scheduled {
        let removed = scheduled.remove(at: index)
        scheduledByteCount -= records[removed.id]?.byteCount ?? 0
        return removed
    }

    /// Returns an ID in the service's newer format: the time in milliseconds, 32 hexadecimal digits and 2 more digits.
    mutating func newID(now: Date) -> PushNotification.ID {
        count += 1
        return Self.id(
            "NH-\(ServiceTime.digits(now))\(ServiceTime.milliseconds(now))-\(RandomID.digits())-"
                + (count % 100).padded(to: 2))
    }

    /// Returns an ID in the only recorded format for a scheduled notification, which is longer.
    mutating func newScheduledID(now: Date) -> PushNotification.ID {
        count += 1
        return Self.id(
            "\(RandomID.digits())_\(ServiceTime.digits(now))_33331921_\(count)_QNHQueue-S68116944391983712")
    }

    private static func id(_ text: String) -> PushNotification.ID {
        do { return try PushNotification.ID(validating: text) } catch { preconditionFailure("\(error)") }
    }
}
