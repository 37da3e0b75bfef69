import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an emulated hub holds: installations, registrations, what is still to be done, and what was.
struct HubState: Sendable {
    /// A write to the hub's installations.
    enum Write: Sendable {
        case put(Installation)
        case delete(Installation.ID)

        var id: Installation.ID {
            switch self {
            case .put(let installation): installation.id
            case .delete(let id): id
            }
        }
    }

    var store = InstallationStore()
    var registrations = RegistrationStore()
    var notifications = NotificationLog()
    var jobs = JobStore()
    var refused = RefusedChannels()
    var blobs: BlobStore
    /// What devices would have been shown, in order.
    var deliveries: History<HubEmulator.Delivery>
    /// What may not have been meant.
    private(set) var warnings = History<HubEmulator.Warning>(limit: 1000) { $0.text.utf8.count }
    /// How many requests may have changed something, for who looks on.
    var changeCount = 0
    /// In the order in which they came, which is that in which they are due.
    private var queue: [(write: Write, due: Date)] = []

    init(hubName: NotificationHub.Name, deliveryLimit: Int) {
        blobs = BlobStore(hubName: hubName)
        deliveries = History(limit: deliveryLimit, byteCount: \.byteCount)
    }

    var installations: [Installation.ID: Installation] { store.installations }

    /// Forgets everything but the numbers that were given.
    mutating func reset() {
        store = InstallationStore()
        registrations = RegistrationStore()
        notifications = NotificationLog()
        jobs.removeAll()
        refused = RefusedChannels()
        blobs = BlobStore(hubName: blobs.hubName)
        queue = []
        deliveries.removeAll()
        warnings.removeAll()
        changeCount += 1
    }

    /// Takes a write, to be carried out when it is due.
    mutating func enqueue(_ write: Write, due: Date) {
        queue.append((write, due))
    }

    /// An installation as it will be once every write that was taken is carried out.
    func accepted(_ id: Installation.ID) -> Installation? {
        switch queue.last(where: { $0.write.id == id })?.write {
        case .put(let installation): installation
        case .delete: nil
        case nil: store.installations[id]
        }
    }

    /// Does everything that is due, in the order in which it became so: writes, jobs, scheduled notifications, and the end of
    /// installations that have expired.
    mutating func carryOut(now: Date) {
        while let due = notifications.nextDue, due <= now {
            carryOutWrites(until: due)
            sendNextScheduled()
        }
        carryOutWrites(until: now)
    }

    /// Carries out every write that was taken, whether it is due or not.
    mutating func carryOutEveryWrite() {
        carryOutWrites(queue[...])
    }

    private mutating func carryOutWrites(until date: Date) {
        carryOutWrites(queue.prefix { $0.due <= date })
        store.removeExpired(now: date)
        carryOutJobs(until: date)
    }

    private mutating func carryOutWrites(_ first: ArraySlice<(write: Write, due: Date)>) {
        for (write, _) in first {
            switch write {
            case .put(let installation): store.put(installation)
            case .delete(let id): store.remove(id)
            }
        }
        if !first.isEmpty { queue.removeFirst(first.count) }
    }

    /// Keeps a warning, without any line break of it.
    mutating func warn(_ text: String, now: Date) {
        let line = String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        warnings.append(HubEmulator.Warning(number: warnings.count + 1, date: now, text: line))
    }
}
