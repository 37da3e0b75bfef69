import HubText
package import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The state of an emulated hub: devices, queued work, notifications, deliveries and warnings.
package struct HubState: Sendable {
    var store = InstallationStore()
    var registrations = RegistrationStore()
    package var notifications: NotificationLog
    var jobs = JobStore()
    var rejectedChannels = RejectedChannels()
    var templateAdvice = TemplateAdvice()
    var blobs: BlobStore
    /// The messages that devices would have received, in order.
    package var deliveries: History<HubEmulator.Delivery>
    /// The warnings about requests, in order.
    package var warnings: History<HubEmulator.Warning>
    private var repeatedWarnings = RepeatedWarnings()
    /// The elements of the description that a client has written.
    package var descriptionElements: [XMLElement] = [] {
        didSet { descriptionByteCount = descriptionElements.reduce(0) { $0 + $1.byteCount } }
    }
    private var descriptionByteCount = 0
    /// The platforms for which the hub has credentials; `nil` if none are required.
    var credentials: Set<PushPlatform>?
    /// A number that identifies the hub's numbered events. It changes if their numbers do not continue.
    private(set) var epoch = UInt64.random(in: .min ... .max)
    var queue = WriteQueue()
    /// The limit on the memory of this hub and others.
    private let memory: MemoryBudget
    /// The number of authorized requests of a day.
    private var calls = (day: 0, count: 0)
    /// The part of ``byteCount`` that is already added to the budget.
    private var countedByteCount = 0

    init(hubName: NotificationHub.Name, deliveryLimit: Int, memory: MemoryBudget) {
        self.memory = memory
        notifications = NotificationLog(byteLimit: memory.historyLimit)
        blobs = BlobStore(hubName: hubName)
        deliveries = History(limit: deliveryLimit, byteLimit: memory.historyLimit, byteCount: \.byteCount)
        warnings = History(limit: 1000, byteLimit: memory.historyLimit) { $0.text.utf8.count }
    }

    /// The estimated memory size in bytes, except for values of a small maximum size.
    private var byteCount: Int {
        store.byteCount + registrations.byteCount + queue.byteCount + notifications.byteCount + jobs.byteCount
            + blobs.byteCount + rejectedChannels.byteCount + deliveries.byteCount + warnings.byteCount
            + descriptionByteCount
    }

    /// Adds the change of the memory size to the budget.
    mutating func countMemory() {
        let byteCount = byteCount
        memory.add(byteCount - countedByteCount)
        countedByteCount = byteCount
    }

    /// Removes the hub's memory from the budget.
    func releaseMemory() {
        memory.add(-countedByteCount)
    }

    /// Counts an authorized request.
    mutating func countCall(now: Date) {
        let day = Int((now.timeIntervalSince1970 / 86_400).rounded(.down))
        calls = (day, calls.day == day ? calls.count + 1 : 1)
    }

    /// The numbers of devices, of registrations and of today's authorized requests.
    package var usage: (deviceCount: Int, registrationCount: Int, callCount: Int) {
        let clientCount = registrations.entries.count
        return (store.installations.count + clientCount, store.registrationCount + clientCount, calls.count)
    }

    /// Whether the hubs use more memory than their limit.
    private var isFull: Bool { memory.usedByteCount + byteCount - countedByteCount > memory.limit }

    private var fullText: String {
        "the state of the emulator's hubs exceeds its limit of \(memory.limit) bytes: delete installations or registrations, "
            + "reset a hub, or increase the limit (nhub emulator --max-memory, or Options.memoryLimit)"
    }

    /// Throws if the hubs use more memory than their limit.
    func checkMemory() throws(ServiceError) {
        if isFull { throw ServiceError(403, fullText) }
    }

    /// Throws if the hubs use more memory than their limit.
    func checkMemoryForBlobs() throws(BlobStore.BlobError) {
        if isFull { throw BlobStore.BlobError(507, "InsufficientStorage", fullText) }
    }

    package var installations: IndirectDictionary<Installation.ID, Installation> { store.installations }

    /// The registrations that clients created.
    package var registrationsByID: [Registration.ID: StoredRegistration] { registrations.entries }

    /// The numbers that change with the devices, messages, deliveries and warnings.
    package struct Revision: Equatable, Sendable, CustomStringConvertible {
        fileprivate let installations, registrations: UInt64
        fileprivate let createdMessages, sentMessages, deliveries, warnings: Int

        /// The start of the description, which changes with the installations and registrations.
        package var devices: String { "\(installations)-\(registrations)" }

        package var description: String { "\(devices)-\(createdMessages)-\(sentMessages)-\(deliveries)-\(warnings)" }
    }

    package var revision: Revision {
        Revision(
            installations: store.revision, registrations: registrations.revision,
            createdMessages: notifications.count, sentMessages: notifications.sentCount,
            deliveries: deliveries.count, warnings: warnings.count)
    }

    /// The time of the next work of ``runDueWork(now:)``; `nil` if there is none.
    var nextDue: Date? {
        [
            notifications.nextDue, queue.nextDue, store.nextExpiry, jobs.nextDue, repeatedWarnings.nextSearch,
        ].compactMap(\.self).min()
    }

    /// Removes everything but the description, and does not reuse the numbers of deliveries, warnings and jobs.
    mutating func reset() {
        store = InstallationStore()
        registrations = RegistrationStore()
        notifications = NotificationLog(byteLimit: memory.historyLimit)
        jobs.removeAll()
        rejectedChannels = RejectedChannels()
        blobs = BlobStore(hubName: blobs.hubName)
        queue = WriteQueue()
        deliveries.removeAll()
        warnings.removeAll()
        repeatedWarnings = RepeatedWarnings()
    }

    /// Replaces everything with the state of a snapshot, but does not reuse the numbers of deliveries, warnings and jobs.
    mutating func restore(_ saved: HubState) {
        let (hubName, jobCount, notificationCount) = (blobs.hubName, jobs.count, notifications.count)
        reset()
        (store, registrations) = (saved.store, saved.registrations)
        (notifications, jobs) = (saved.notifications, saved.jobs)
        (rejectedChannels, blobs) = (saved.rejectedChannels, saved.blobs)
        descriptionElements = saved.descriptionElements
        blobs.hubName = hubName
        notifications.byteLimit = memory.historyLimit
        notifications.advance(to: notificationCount)
        jobs.advance(to: jobCount)
        deliveries.advance(to: saved.deliveries.count)
        warnings.advance(to: saved.warnings.count)
        epoch = .random(in: .min ... .max)
    }

    /// Returns an installation as it will be after all queued writes; `nil` if it will not exist.
    func pendingInstallation(_ id: Installation.ID) -> Installation? {
        switch queue.lastWrite(to: id) {
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
        recordRepetitions(endedBy: now, now: now)
    }

    /// Records how often warnings were repeated that are not recent at a time.
    mutating func recordRepetitions(endedBy date: Date, now: Date) {
        for (text, count) in repeatedWarnings.removeEnded(now: date) {
            record("\(text) (\(count) more \(count == 1 ? "time" : "times"))", now: now)
        }
    }

    /// Applies all queued writes, even if they are not due.
    mutating func applyAllWrites() {
        applyWrites(until: Date(timeIntervalSinceReferenceDate: .infinity))
    }

    /// Applies the writes, removes the installations and runs the jobs that are due at a time.
    private mutating func runWork(until date: Date) {
        applyWrites(until: date)
        store.removeExpired(now: date)
        runJobs(until: date)
    }

    private mutating func applyWrites(until date: Date) {
        while let write = queue.removeFirst(until: date) {
            switch write {
            case .put(let installation, let kind):
                store.put(installation, by: kind)
                // The IDs of the installation's registrations are its own.
                let ownRegistrations = registrations.entries.isEmpty ? [] : store.registrations(of: installation)
                for registration in ownRegistrations { registrations.removeEntry(registration.id) }
            case .delete(let id): store.remove(id)
            }
        }
    }

    /// Records a warning. Control characters, such as line breaks, become spaces. Repetitions within a second are counted.
    mutating func warn(_ text: String, now: Date) {
        if !repeatedWarnings.count(text, now: now) { record(text, now: now) }
    }

    private mutating func record(_ text: String, now: Date) {
        let line = String(text.unicodeScalars.map { $0.isControl ? " " : Character($0) })
        warnings.append(HubEmulator.Warning(number: warnings.count + 1, date: now, text: line))
    }
}
