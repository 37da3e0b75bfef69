import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The notifications that a hub has taken: the latest, and those that wait for their time.
struct NotificationLog: Sendable {
    struct Scheduled: Sendable {
        let id: PushNotification.ID
        let due: Date
        let audience: Audience
    }

    private static let maximumCount = 10_000
    private static let maximumByteCount = 64 << 20
    private static let maximumScheduledCount = 1000
    private var records: [PushNotification.ID: NotificationRecord] = [:]
    /// The ids of what has been sent, in order.
    private var order: [PushNotification.ID] = []
    /// About how much memory these take.
    private var byteCount = 0
    /// In the order in which they are due.
    private var scheduled: [Scheduled] = []
    private var count = 0

    subscript(id: PushNotification.ID) -> NotificationRecord? { records[id] }

    /// The notification of an id in a path.
    subscript(text: String) -> NotificationRecord? {
        (try? PushNotification.ID(validating: text)).flatMap { records[$0] }
    }

    /// When the next scheduled notification is due.
    var nextDue: Date? { scheduled.first?.due }

    /// Keeps a notification that has been sent, and forgets the oldest ones.
    mutating func add(_ record: NotificationRecord) {
        records[record.id] = record
        order.append(record.id)
        byteCount += record.byteCount
        guard order.count > Self.maximumCount || byteCount > Self.maximumByteCount else { return }
        let oldest = order.prefix(order.count / 2)
        for id in oldest { byteCount -= records.removeValue(forKey: id)?.byteCount ?? 0 }
        order.removeFirst(oldest.count)
    }

    mutating func schedule(
        _ record: NotificationRecord, _ audience: Audience, due: Date
    ) throws(ServiceRefusal) {
        guard scheduled.count < Self.maximumScheduledCount else {
            throw ServiceRefusal(
                403, "The emulator keeps \(Self.maximumScheduledCount) scheduled notifications at most")
        }
        records[record.id] = record
        let index = scheduled.firstIndex { $0.due > due } ?? scheduled.endIndex
        scheduled.insert(Scheduled(id: record.id, due: due, audience: audience), at: index)
    }

    mutating func takeNextScheduled() -> Scheduled? {
        scheduled.isEmpty ? nil : scheduled.removeFirst()
    }

    /// - Returns: whether a notification of this id waited.
    mutating func cancel(_ text: String, now: Date) -> Bool {
        guard var record = self[text], let index = scheduled.firstIndex(where: { $0.id == record.id }) else {
            return false
        }
        scheduled.remove(at: index)
        record.cancel(now: now)
        add(record)
        return true
    }

    /// An id of the service's newer form: the time to the millisecond, 32 hexadecimal digits, two more digits.
    mutating func newID(now: Date) -> PushNotification.ID {
        count += 1
        let end = count % 100
        return Self.id(
            "NH-\(ServiceTime.digits(now))\(ServiceTime.milliseconds(now))-\(Self.randomDigits())-"
                + (end < 10 ? "0\(end)" : "\(end)"))
    }

    /// An id of the only form that has been seen for a scheduled notification, which is longer.
    mutating func newScheduledID(now: Date) -> PushNotification.ID {
        count += 1
        return Self.id(
            "\(Self.randomDigits())_\(ServiceTime.digits(now))_33331921_\(count)_QNHQueue-S68116944391983712")
    }

    private static func id(_ text: String) -> PushNotification.ID {
        do { return try PushNotification.ID(validating: text) } catch { preconditionFailure("\(error)") }
    }

    private static func randomDigits() -> String {
        UUID().uuidString.filter { $0 != "-" }.lowercased()
    }
}
