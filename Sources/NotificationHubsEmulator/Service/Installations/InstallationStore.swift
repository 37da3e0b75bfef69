import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The installations of a hub, found by their ids and by their tags.
struct InstallationStore: Sendable {
    private(set) var installations: [Installation.ID: Installation] = [:]
    /// A tag of a template counts for its installation.
    private var index = TagIndex<Installation.ID>()
    /// By the numbers that the ids of their registrations begin with.
    private var owners = TagIndex<Installation.ID>()
    /// No installation ends before.
    private var nextExpiry: Date?

    mutating func put(_ installation: Installation) {
        remove(installation.id)
        installations[installation.id] = installation
        index.insert(installation.id, tags: installation.indexedTags)
        owners.insert(installation.id, tags: [Registration.ID.number(of: installation.id.rawValue)])
        if let expiry = installation.expirationTime, expiry < ServiceTime.never {
            nextExpiry = min(nextExpiry ?? expiry, expiry)
        }
    }

    mutating func remove(_ id: Installation.ID) {
        guard let installation = installations.removeValue(forKey: id) else { return }
        index.remove(id, tags: installation.indexedTags)
        owners.remove(id, tags: [Registration.ID.number(of: id.rawValue)])
    }

    /// The installation that the service makes a registration of.
    func installation(of registration: Registration.ID) -> Installation? {
        let ids = owners[registration.ownerNumber]
        return ids.lazy.compactMap { installations[$0] }.first { $0.registrations.contains { $0.id == registration } }
    }

    mutating func removeExpired(now: Date) {
        guard let expiry = nextExpiry, expiry <= now else { return }
        let ends = installations.values.compactMap { installation in
            installation.expirationTime.map { (installation.id, $0) }
        }
        for (id, end) in ends where end <= now { remove(id) }
        nextExpiry = ends.map(\.1).filter { $0 > now && $0 < ServiceTime.never }.min()
    }

    /// A superset of the installations for which an expression is true, ordered by id; all without an expression.
    func candidates(for node: TagExpression.Node?) -> [Installation] {
        let found: any Sequence<Installation> =
            if let ids = node.flatMap(index.candidates(for:)) {
                ids.lazy.compactMap { installations[$0] }
            } else {
                installations.values
            }
        return found.sorted { $0.id < $1.id }
    }
}

extension Installation {
    fileprivate var indexedTags: Set<String> {
        let templates = Array(templates.values) + secondaryTiles.values.flatMap(\.templates.values)
        let tags = tags + secondaryTiles.values.flatMap(\.tags) + templates.flatMap(\.tags)
        return Set(RecipientTags.made(of: id, userID) + tags.map(\.rawValue))
    }
}
