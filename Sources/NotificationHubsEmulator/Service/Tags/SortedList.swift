/// A sorted list without duplicates, for fast changes and fast access to the elements after a position.
struct SortedList<Element: Comparable & Sendable>: Sendable {
    /// The elements in order, in parts that are never empty.
    private var chunks: [[Element]] = []
    private(set) var count = 0

    init() {}

    init(_ elements: some Sequence<Element>) {
        for element in elements { insert(element) }
    }

    var isEmpty: Bool { chunks.isEmpty }

    var first: Element? { chunks.first?.first }

    /// The elements in order.
    var elements: some Sequence<Element> { chunks.lazy.joined() }

    private static var maximumChunkCount: Int { 512 }

    mutating func insert(_ element: Element) {
        guard !chunks.isEmpty else {
            count = 1
            return chunks.append([element])
        }
        let chunk = min(firstChunk(whileLast: { $0 < element }), chunks.count - 1)
        let index = chunks[chunk].partitionIndex { $0 < element }
        if index < chunks[chunk].count, chunks[chunk][index] == element { return }
        chunks[chunk].insert(element, at: index)
        count += 1
        guard chunks[chunk].count > Self.maximumChunkCount else { return }
        let half = chunks[chunk].count / 2
        chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
        chunks[chunk].removeSubrange(half...)
    }

    mutating func remove(_ element: Element) {
        let chunk = firstChunk(whileLast: { $0 < element })
        guard chunk < chunks.count else { return }
        let index = chunks[chunk].partitionIndex { $0 < element }
        guard index < chunks[chunk].count, chunks[chunk][index] == element else { return }
        chunks[chunk].remove(at: index)
        count -= 1
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// Returns the elements after those for which a predicate is true.
    ///
    /// - Parameter precedes: A predicate that is true for the first elements, and false for the others.
    func drop(while precedes: (Element) -> Bool) -> some Sequence<Element> {
        let chunk = firstChunk(whileLast: precedes)
        let index = chunk < chunks.count ? chunks[chunk].partitionIndex(where: precedes) : 0
        return chunks[chunk...].lazy.joined().dropFirst(index)
    }

    /// Returns the index of the first chunk whose last element does not satisfy a predicate.
    private func firstChunk(whileLast precedes: (Element) -> Bool) -> Int {
        chunks.partitionIndex { $0.last.map(precedes) ?? true }
    }
}

extension Array {
    /// Returns the number of first elements for which a predicate is true, if it is false for the others.
    func partitionIndex(where precedes: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
