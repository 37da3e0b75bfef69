import NotificationHubs

/// An index of IDs by tag, or by another string.
struct TagIndex<ID: Hashable & Sendable>: Sendable {
    private var idsByTag: [String: Set<ID>] = [:]

    mutating func insert(_ id: ID, tags: some Sequence<String>) {
        for tag in tags { idsByTag[tag, default: []].insert(id) }
    }

    mutating func remove(_ id: ID, tags: some Sequence<String>) {
        for tag in tags {
            idsByTag[tag]?.remove(id)
            if idsByTag[tag]?.isEmpty == true { idsByTag[tag] = nil }
        }
    }

    /// Returns some tags, except for those that the service generates.
    func tags(atMost count: Int) -> Set<String> {
        Set(idsByTag.keys.lazy.filter { $0.utf8.first != UInt8(ascii: "$") }.prefix(count))
    }

    /// Returns the IDs with a tag.
    subscript(tag: String) -> Set<ID> { idsByTag[tag] ?? [] }

    /// Returns a superset of the IDs for which an expression is true; `nil` for all IDs.
    func candidates(for node: TagExpression.Node) -> Set<ID>? {
        switch node {
        case .tag, .installation, .user: return self[node.text]
        case .not: return nil
        case .all(let nodes): return nodes.compactMap(candidates(for:)).min { $0.count < $1.count }
        case .any(let nodes):
            var union: Set<ID> = []
            for node in nodes {
                guard let ids = candidates(for: node) else { return nil }
                union.formUnion(ids)
            }
            return union
        }
    }
}
