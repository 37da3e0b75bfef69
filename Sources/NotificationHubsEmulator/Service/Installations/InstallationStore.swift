import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The installations of a hub, found by their ids and by their tags.
struct InstallationStore: Sendable {
    private(set) var installations: [Installation.ID: Installation] = [:]
    /// Which installations may have a tag; a tag of a template counts for its installation.
    private var idsByTag: [String: Set<Installation.ID>] = [:]
    /// No installation ends before.
    private var nextExpiry: Date?

    mutating func put(_ installation: Installation) {
        remove(installation.id)
        installations[installation.id] = installation
        for tag in installation.indexedTags { idsByTag[tag, default: []].insert(installation.id) }
        if let expiry = installation.expirationTime, expiry < ServiceTime.never {
            nextExpiry = min(nextExpiry ?? expiry, expiry)
        }
    }

    mutating func remove(_ id: Installation.ID) {
        guard let installation = installations.removeValue(forKey: id) else { return }
        for tag in installation.indexedTags {
            idsByTag[tag]?.remove(id)
            if idsByTag[tag]?.isEmpty == true { idsByTag[tag] = nil }
        }
    }

    mutating func removeExpired(now: Date) {
        guard let expiry = nextExpiry, expiry <= now else { return }
        let ends = installations.values.compactMap { installation in
            installation.expirationTime.map { (installation.id, $0) }
        }
        for (id, end) in ends where end <= now { remove(id) }
        nextExpiry = ends.map(\.1).filter { $0 > now && $0 < ServiceTime.never }.min()
    }

    /// Every installation that a condition can be true of, and maybe others, ordered by id; all of them without one.
    func candidates(for condition: TagCondition?) -> [Installation] {
        let found: any Sequence<Installation> =
            if let ids = condition.flatMap(ids(for:)) {
                ids.lazy.compactMap { installations[$0] }
            } else {
                installations.values
            }
        return found.sorted { $0.id.text < $1.id.text }
    }

    /// - Returns: `nil` for any of them.
    private func ids(for condition: TagCondition) -> Set<Installation.ID>? {
        switch condition {
        case .tag(let tag): return idsByTag[tag] ?? []
        case .not: return nil
        case .all(let conditions): return conditions.compactMap(ids(for:)).min { $0.count < $1.count }
        case .any(let conditions):
            var union: Set<Installation.ID> = []
            for condition in conditions {
                guard let ids = ids(for: condition) else { return nil }
                union.formUnion(ids)
            }
            return union
        }
    }
}

extension Installation {
    /// The tags that the service makes of the installation's id and its user.
    var ownTags: [String] {
        ["$InstallationId:{\(id)}"] + (userID.map { ["$UserId:{\($0)}"] } ?? [])
    }

    fileprivate var indexedTags: Set<String> {
        let templates = Array(templates.values) + secondaryTiles.values.flatMap(\.templates.values)
        let tags = tags + secondaryTiles.values.flatMap(\.tags) + templates.flatMap(\.tags)
        return Set(ownTags + tags.map(\.text))
    }
}
