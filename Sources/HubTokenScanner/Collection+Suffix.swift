extension BidirectionalCollection {
    /// Returns the longest suffix whose elements all satisfy a predicate.
    func suffix(while predicate: (Element) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, predicate(self[index(before: start)]) { formIndex(before: &start) }
        return self[start...]
    }
}
