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

    /// Everything that a condition can be true of, and maybe others; `nil` for anything at all.
    func candidates(for condition: TagCondition) -> Set<ID>? {
        switch condition {
        case .tag(let tag): return idsByTag[tag] ?? []
        case .not: return nil
        case .all(let conditions): return conditions.compactMap(candidates(for:)).min { $0.count < $1.count }
        case .any(let conditions):
            var union: Set<ID> = []
            for condition in conditions {
                guard let ids = candidates(for: condition) else { return nil }
                union.formUnion(ids)
            }
            return union
        }
    }
}
