import NotificationHubs

/// Which things may have a tag, or another text, by the text.
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

    /// The ids with a tag.
    subscript(tag: String) -> Set<ID> { idsByTag[tag] ?? [] }

    /// A superset of the ids for which an expression is true; `nil` for all ids.
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
