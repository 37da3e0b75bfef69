/// Messages in one contiguous buffer, each joined from two parts with a separator.
package struct JoinedMessages: Sendable {
    private var bytes: [UInt8] = []
    /// The end offset of each message.
    private var ends: [Int] = []

    /// Creates an empty collection with reserved capacity.
    package init(minimumCapacity: Int, byteCount: Int) {
        bytes.reserveCapacity(byteCount)
        ends.reserveCapacity(minimumCapacity)
    }

    /// The number of messages.
    package var count: Int { ends.count }

    /// Appends a message.
    package mutating func append(joining first: Span<UInt8>, _ separator: UInt8, _ second: Span<UInt8>) {
        unsafe first.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(separator)
        unsafe second.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        ends.append(bytes.count)
    }

    /// Returns the results of calling `transform` with the bytes of each message, in order.
    package func map<Result>(_ transform: (Span<UInt8>) -> Result) -> [Result] {
        var start = 0
        return ends.map { end in
            defer { start = end }
            return transform(bytes.span.extracting(start..<end))
        }
    }

    /// Calls `body` for each window of the messages, in order, as `PinnedWindow` does.
    func forEachWindow(_ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>, Int) -> Void) {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: PinnedWindow.capacity) {
                var start = 0
                for position in stride(from: 0, to: count, by: PinnedWindow.capacity) {
                    let window = ends[position...].prefix(PinnedWindow.capacity)
                    for (index, end) in window.enumerated() {
                        unsafe $0.initializeElement(
                            at: index, to: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                        start = end
                    }
                    unsafe body(UnsafeBufferPointer(rebasing: $0[..<window.count]), position)
                }
            }
        }
    }
}
