import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The state of an emulated hub: devices, queued work, notifications, deliveries and warnings.
struct HubState: Sendable {
    /// A write to the hub's installations.
    enum Write: Sendable {
        case put(Installation, InstallationStore.Write)
        case delete(Installation.ID)

        var id: Installation.ID {
            switch self {
            case .put(let installation, _): installation.id
            case .delete(let id): id
            }
        }
    }

    var store = InstallationStore()
    var registrations = RegistrationStore()
    var notifications = NotificationLog()
    var jobs = JobStore()
    var rejectedChannels = RejectedChannels()
    var blobs: BlobStore
    /// The messages that devices would have received, in order.
    var deliveries: History<HubEmulator.Delivery>
    /// The warnings about requests, in order.
    private(set) var warnings = History<HubEmulator.Warning>(limit: 1000) { $0.text.utf8.count }
    /// The queued writes in order of arrival, which is also the order in which they are due.
    private var queue: [(write: Write, due: Date)] = []

    init(hubName: NotificationHub.Name, deliveryLimit: Int) {
        blobs = BlobStore(hubName: hubName)
        deliveries = History(limit: deliveryLimit, byteCount: \.byteCount)
    }

    var installations: [Installation.ID: Installation] { store.installations }

    /// Removes everything, but does not reuse the numbers of deliveries, warnings and jobs.
    mutating func reset() {
        store = InstallationStore()
        registrations = RegistrationStore()
        notifications = NotificationLog()
        jobs.removeAll()
        rejectedChannels = RejectedChannels()
        blobs = BlobStore(hubName: blobs.hubName)
        queue = []
        deliveries.removeAll()
        warnings.removeAll()
    }

    /// Queues a write.
    mutating func enqueue(_ write: Write, due: Date) {
        queue.append((write, due))
    }

    /// Returns an installation as it will be after all queued writes; `nil` if it will not exist.
    func pendingInstallation(_ id: Installation.ID) -> Installation? {
        switch queue.last(where: { $0.write.id == id })?.write {
        case .put(let installation, _): installation
        case .delete: nil
        case nil: store.installations[id]
        }
    }

    /// Runs all due work by due time: queued writes, expiry of installations, jobs and scheduled notifications.
    mutating func runDueWork(now: Date) {
        while let due = notifications.nextDue, due <= now {
            runWork(until: due)
            sendNextScheduled()
        }
        runWork(until: now)
    }

    /// Applies all queued writes, even if they are not due.
    mutating func applyAllWrites() {
        applyWrites(queue[...])
    }

    /// Applies the writes, removes the installations and runs the jobs that are due at a time.
    private mutating func runWork(until date: Date) {
        applyWrites(queue.prefix { $0.due <= date })
        store.removeExpired(now: date)
        runJobs(until: date)
    }

    private mutating func applyWrites(_ first: ArraySlice<(write: Write, due: Date)>) {
        for (write, _) in first {
            switch write {
            case .put(let installation, let write): store.put(installation, by: write)
            case .delete(let id): store.remove(id)
            }
        }
        if !first.isEmpty { queue.removeFirst(first.count) }
    }

    /// Records a warning. Control characters, such as line breaks, become spaces.
    mutating func warn(_ text: String, now: Date) {
        let line = String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
        warnings.append(HubEmulator.Warning(number: warnings.count + 1, date: now, text: line))
    }
}
