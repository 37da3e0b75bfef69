import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an emulated hub holds: installations, writes to them that are still queued, and what was delivered.
struct HubState: Sendable {
    /// A write to the hub's installations.
    enum Write: Sendable {
        case put(Installation)
        case delete(Installation.ID)
    }

    private(set) var installations: [Installation.ID: Installation] = [:]
    private(set) var deliveries: [Delivery] = []
    private var queue: [(write: Write, due: Date)] = []

    /// Takes a write, to be carried out when it is due.
    mutating func enqueue(_ write: Write, due: Date) {
        queue.append((write, due))
    }

    /// Carries out the queued writes that are due, in the order in which they came.
    mutating func carryOutWrites(now: Date) {
        while let (write, due) = queue.first, due <= now {
            queue.removeFirst()
            switch write {
            case .put(let installation): installations[installation.id] = installation
            case .delete(let id): installations[id] = nil
            }
        }
    }

    /// Fills the templates of every device that a message is for.
    ///
    /// - Parameter tag: `nil` is everyone.
    mutating func deliver(
        _ values: [String: String], to tag: NotificationHub.Tag?, notificationID: String, now: Date
    ) throws {
        for installation in installations.values.sorted(by: { $0.id.text < $1.id.text }) {
            for (name, template) in installation.templates.sorted(by: { $0.key < $1.key }) {
                guard tag.map({ installation.tags.contains($0) || template.tags.contains($0) }) ?? true else {
                    continue
                }
                deliveries.append(
                    Delivery(
                        number: deliveries.count + 1, date: now, notificationID: notificationID,
                        installationID: installation.id, pushChannel: installation.pushChannel,
                        templateName: name.text, headers: template.headers,
                        body: try MessageTemplate(template.body).filled(with: values)))
            }
        }
    }
}
