/// Messages in one contiguous buffer, each joined from two parts with a separator.
package struct JoinedMessages: Sendable {
    private var bytes: ContiguousArray<UInt8> = []
    /// The end offset of each message.
    private var ends: [Int] = []

    /// Creates an empty collection with reserved capacity.
    package init(minimumCapacity: Int, byteCount: Int) {
        bytes.reserveCapacity(byteCount)
        ends.reserveCapacity(minimumCapacity)
    }

    /// Appends a message.
    package mutating func append(joining first: Span<UInt8>, _ separator: UInt8, _ second: Span<UInt8>) {
        unsafe first.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(separator)
        unsafe second.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        ends.append(bytes.count)
    }

    /// Calls `body` with the bytes of a message. Messages have indices from 0, in the order in which they were appended.
    package func withBytes<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result {
        body(bytes.span.extracting(range(index)))
    }

    /// Calls `body` with each window of the messages at some indices, and the position of its first index.
    ///
    /// - Parameter windowCapacity: The maximum number of messages in a window.
    func forEachWindow(
        of indices: [Int], windowCapacity: Int, _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>, Int) -> Void
    ) {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: windowCapacity) {
                messages in
                for start in stride(from: 0, to: indices.count, by: windowCapacity) {
                    let count = min(windowCapacity, indices.count - start)
                    for offset in 0..<count {
                        let message = unsafe UnsafeRawBufferPointer(rebasing: bytes[range(indices[start + offset])])
                        unsafe messages.initializeElement(at: offset, to: message)
                    }
                    unsafe body(UnsafeBufferPointer(rebasing: messages[..<count]), start)
                }
            }
        }
    }

    private func range(_ index: Int) -> Range<Int> {
        (index > 0 ? ends[index - 1] : 0)..<ends[index]
    }
}
