import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A hub's installations, indexed by ID and by tag.
struct InstallationStore: Sendable {
    private(set) var installations: [Installation.ID: Installation] = [:]
    /// The installations by tag, including the tags of their templates and tiles.
    private var index = TagIndex<Installation.ID>()
    /// The installations by the number that the IDs of their registrations start with.
    private var owners = TagIndex<Installation.ID>()
    /// A time before which no installation expires; `nil` if none expires.
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

    /// Returns the installation that a registration was created from; `nil` if there is none.
    func installation(of registration: Registration.ID) -> Installation? {
        let ids = owners[registration.ownerNumber]
        return ids.lazy.compactMap { installations[$0] }.first { $0.registrations.contains { $0.id == registration } }
    }

    /// Removes the installations whose expiration time has passed.
    mutating func removeExpired(now: Date) {
        guard let expiry = nextExpiry, expiry <= now else { return }
        let expiries = installations.values.compactMap { installation in
            installation.expirationTime.map { (installation.id, $0) }
        }
        for (id, expiry) in expiries where expiry <= now { remove(id) }
        nextExpiry = expiries.map(\.1).filter { $0 > now && $0 < ServiceTime.never }.min()
    }

    /// Returns a superset of the installations for which an expression is true, ordered by ID.
    ///
    /// Without an expression, returns all installations.
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
        return Set(RecipientTags.generated(for: id, userID) + tags.map(\.rawValue))
    }
}
