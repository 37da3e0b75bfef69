#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

/// What has happened, numbered from 1 on, of which the latest is kept.
struct History<Element: Sendable>: Sendable {
    /// How many elements there have been: the number of the last one.
    private(set) var count = 0
    private let limit: Int
    private let byteLimit: Int
    private let byteCount: @Sendable (Element) -> Int
    /// The elements, some in front that are not kept any more, so that not each new one moves all of them.
    private var elements: [Element] = []
    private var keptIndex = 0
    private var keptByteCount = 0
    private var droppedByteCount = 0

    /// - Parameters:
    ///   - limit: how many elements are kept.
    ///   - byteLimit: how many bytes all of them may have together; one is kept, however many it has.
    ///   - byteCount: how many bytes an element has.
    init(limit: Int, byteLimit: Int = 64 << 20, byteCount: @escaping @Sendable (Element) -> Int) {
        self.limit = max(1, limit)
        self.byteLimit = byteLimit
        self.byteCount = byteCount
    }

    /// The elements that are kept.
    var latest: ArraySlice<Element> { elements[keptIndex...] }

    /// Adds an element, whose number is one more than the count.
    mutating func append(_ element: Element) {
        elements.append(element)
        count += 1
        keptByteCount += byteCount(element)
        while latest.count > limit || latest.count > 1 && keptByteCount > byteLimit {
            let byteCount = byteCount(elements[keptIndex])
            keptByteCount -= byteCount
            droppedByteCount += byteCount
            keptIndex += 1
        }
        guard keptIndex > limit / 4 || droppedByteCount > byteLimit / 4 else { return }
        elements.removeFirst(keptIndex)
        (keptIndex, droppedByteCount) = (0, 0)
    }

    /// The kept elements behind the one of a number, the first of them first.
    func after(_ number: Int, limit: Int = .max) -> ArraySlice<Element> {
        latest.suffix(max(0, count - max(0, number))).prefix(limit)
    }

    /// Forgets the elements. Their numbers are not given again.
    mutating func removeAll() {
        elements = []
        (keptIndex, keptByteCount, droppedByteCount) = (0, 0, 0)
    }
}

extension HubEmulator {
    /// A warning about a request that the service accepts silently, such as a message without a target, which reaches every
    /// device.
    public struct Warning: Hashable, Sendable {
        /// The number of the warning, from 1.
        public let number: Int
        /// When the request arrived.
        public let date: Date
        /// The warning: one line, without secrets.
        public let text: String
    }
}
