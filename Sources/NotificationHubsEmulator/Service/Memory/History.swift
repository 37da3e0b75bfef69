import NotificationHubs

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// A numbered log that keeps only its latest elements. Numbers start at 1.
package struct History<Element: Sendable>: Sendable {
    /// The number of elements ever appended, which is also the last element's number.
    package private(set) var count = 0
    private let limit: Int
    private let byteLimit: Int
    private let elementByteCount: @Sendable (Element) -> Int
    /// Starts with dropped elements, which are removed in batches so that appending does not move the whole array.
    private var elements: [Element] = []
    private var keptIndex = 0
    private var keptByteCount = 0
    private var droppedByteCount = 0

    /// - Parameters:
    ///   - limit: The maximum number of elements; at least one is kept.
    ///   - byteLimit: The maximum total size in bytes. The last element is kept even if it is larger.
    ///   - byteCount: Returns an element's size in bytes.
    package init(limit: Int, byteLimit: Int, byteCount: @escaping @Sendable (Element) -> Int) {
        self.limit = max(1, limit)
        self.byteLimit = byteLimit
        elementByteCount = byteCount
    }

    /// The size in bytes of the elements in memory.
    var byteCount: Int { keptByteCount + droppedByteCount }

    /// The kept elements, oldest first.
    var latest: ArraySlice<Element> { elements[keptIndex...] }

    /// The number of the oldest kept element. If the history is empty, the number of the next element.
    package var oldestNumber: Int { count - latest.count + 1 }

    /// Appends an element and assigns it the next number.
    package mutating func append(_ element: Element) {
        elements.append(element)
        count += 1
        keptByteCount += elementByteCount(element)
        while latest.count > limit || latest.count > 1 && keptByteCount > byteLimit {
            let byteCount = elementByteCount(elements[keptIndex])
            keptByteCount -= byteCount
            droppedByteCount += byteCount
            keptIndex += 1
        }
        guard keptIndex > limit / 4 || droppedByteCount > byteLimit / 4 else { return }
        elements.removeFirst(keptIndex)
        (keptIndex, droppedByteCount) = (0, 0)
    }

    /// Ensures that new elements have numbers greater than a number.
    ///
    /// - Precondition: The history has no elements.
    mutating func advance(to number: Int) {
        count = max(count, number)
    }

    /// Returns the kept elements with a greater number, oldest first.
    package func after(_ number: Int, limit: Int = .max) -> ArraySlice<Element> {
        latest.suffix(max(0, count - max(0, number))).prefix(limit)
    }

    /// Removes all elements. Their numbers are not reused.
    mutating func removeAll() {
        elements = []
        (keptIndex, keptByteCount, droppedByteCount) = (0, 0, 0)
    }
}

extension HubEmulator {
    /// A warning about an effect that the service does not report, such as a broadcast by a message without tags.
    public struct Warning: Hashable, Sendable {
        /// The warning's number, from 1.
        public let number: Int
        /// The time of the warning.
        public let date: Date
        /// The text: one line, without secrets.
        public let text: String
    }
}

extension HubEmulator.Warning: CustomStringConvertible, CustomDebugStringConvertible {
    /// The text.
    public var description: String { text }

    /// The type and all properties.
    public var debugDescription: String { Mirror.debugText(of: self) }
}
