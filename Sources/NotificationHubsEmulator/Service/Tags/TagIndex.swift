import HubText
import NotificationHubs

/// An index of elements by tag, or by another string. The elements of a tag are sorted.
struct TagIndex<Element: Comparable & Hashable & Sendable>: Sendable {
    private var elementsByTag: [ByteString: Elements] = [:]
    /// The elements of the tags that the service generates. Each device has its own, and ``tags(atMost:)`` would have to skip them.
    private var elementsByGeneratedTag: [ByteString: Elements] = [:]

    /// The elements of a tag. The tags of installation IDs and the handles have one each, which needs no list.
    private enum Elements: Sendable {
        /// Only during a change; never stored.
        case empty
        case one(Element)
        case many(SortedList<Element>)

        mutating func insert(_ element: Element) {
            switch self {
            case .empty, .one(element): self = .one(element)
            case .one(let other): self = .many(SortedList([other, element]))
            case .many(var list):
                // Releases the second reference, so that the list is changed in place.
                self = .empty
                list.insert(element)
                self = .many(list)
            }
        }

        mutating func remove(_ element: Element) {
            switch self {
            case .one(element): self = .empty
            case .empty, .one: break
            case .many(var list):
                // As in `insert`.
                self = .empty
                list.remove(element)
                if !list.isEmpty { self = .many(list) }
            }
        }

        var isEmpty: Bool { if case .empty = self { true } else { false } }
    }

    mutating func insert(_ element: Element, tags: some Sequence<ByteString>) {
        for tag in tags { withElements(by: tag) { $0[tag, default: .empty].insert(element) } }
    }

    mutating func remove(_ element: Element, tags: some Sequence<ByteString>) {
        for tag in tags {
            withElements(by: tag) { elements in
                elements[tag]?.remove(element)
                if elements[tag]?.isEmpty == true { elements[tag] = nil }
            }
        }
    }

    private mutating func withElements(by tag: ByteString, _ body: (inout [ByteString: Elements]) -> Void) {
        if Self.isGenerated(tag) { body(&elementsByGeneratedTag) } else { body(&elementsByTag) }
    }

    private static func isGenerated(_ tag: ByteString) -> Bool {
        NotificationHub.Tag(unchecked: tag.text).isGenerated
    }

    /// Replaces the tags of an element.
    mutating func replace(_ former: Set<ByteString>, by tags: Set<ByteString>, of element: Element) {
        if former == tags { return }
        remove(element, tags: former.subtracting(tags))
        insert(element, tags: tags.subtracting(former))
    }

    /// Returns some tags, except for those that the service generates.
    func tags(atMost count: Int) -> Set<ByteString> {
        Set(elementsByTag.keys.prefix(count))
    }

    /// Returns the elements with a tag, in order.
    subscript(tag: String) -> SortedList<Element> {
        let tag = ByteString(tag)
        return switch Self.isGenerated(tag) ? elementsByGeneratedTag[tag] : elementsByTag[tag] {
        case nil, .empty: SortedList()
        case .one(let element): SortedList([element])
        case .many(let list): list
        }
    }

    /// Returns a superset of the elements for which an expression is true, each once; `nil` for all elements.
    func candidates(for node: TagExpression.Node) -> [Element]? {
        guard let lists = lists(for: node) else { return nil }
        if let list = lists.first, lists.count == 1 { return Array(list.elements) }
        return Array(lists.reduce(into: Set<Element>()) { $0.formUnion($1.elements) })
    }

    /// Returns lists whose union has all elements for which an expression is true; `nil` for all elements.
    private func lists(for node: TagExpression.Node) -> [SortedList<Element>]? {
        switch node {
        case .tag, .installation, .user: return [self[node.text]]
        case .not: return nil
        case .all(let nodes): return nodes.compactMap(lists(for:)).min { $0.count(of: \.count) < $1.count(of: \.count) }
        case .any(let nodes):
            var union: [SortedList<Element>] = []
            for node in nodes {
                guard let lists = lists(for: node) else { return nil }
                union += lists
            }
            return union
        }
    }
}

extension Array {
    /// The sum of a count of each element.
    fileprivate func count(of count: (Element) -> Int) -> Int { reduce(0) { $0 + count($1) } }
}
