extension Collection where Element: Comparable {
    /// Returns the smallest elements in order. If they are few, the others are not sorted.
    func smallest(_ limit: Int) -> [Element] {
        // An insertion takes time in proportion to the limit.
        if limit >= Swift.min(count, 1000) { return Array(sorted().prefix(limit)) }
        var smallest: [Element] = []
        for element in self {
            if smallest.count == limit {
                guard let last = smallest.last, element < last else { continue }
                smallest.removeLast()
            }
            var range = smallest.startIndex..<smallest.endIndex
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                range = smallest[middle] < element ? middle + 1..<range.upperBound : range.lowerBound..<middle
            }
            smallest.insert(element, at: range.lowerBound)
        }
        return smallest
    }
}
