/// What has happened, numbered from 1 on, of which the latest is kept.
struct History<Element: Sendable>: Sendable {
    /// How many elements there have been: the number of the last one.
    private(set) var count = 0
    /// How many elements are kept.
    private let limit: Int
    /// The last ones; some more than are kept, so that not each new one moves all of them.
    private var elements: [Element] = []

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// The elements that are kept.
    var latest: ArraySlice<Element> { elements.suffix(limit) }

    /// Adds an element, whose number is one more than the count.
    mutating func append(_ element: Element) {
        if elements.count >= 2 * limit { elements.removeFirst(elements.count - limit) }
        elements.append(element)
        count += 1
    }

    /// The kept elements behind the one of a number, the first of them first.
    func after(_ number: Int, limit: Int = .max) -> ArraySlice<Element> {
        latest.suffix(max(0, count - max(0, number))).prefix(limit)
    }

    /// Forgets the elements. Their numbers are not given again.
    mutating func removeAll() {
        elements = []
    }
}
