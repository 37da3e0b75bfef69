/// A window of a batch whose messages are pinned in memory together.
@usableFromInline
enum PinnedWindow {
    /// The maximum number of pinned messages. Each uses a stack frame.
    @inlinable static var capacity: Int { 64 }

    /// Calls `body` for each window of a batch, in order.
    ///
    /// - Parameter body: Receives the bytes of each message and the batch index of the first message.
    @inlinable
    static func forEach<Messages: Collection>(
        of messages: Messages, _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>, Int) -> Void
    ) where Messages.Element: Collection<UInt8> {
        unsafe withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: capacity) { pinned in
            var index = messages.startIndex
            var position = 0
            while index != messages.endIndex {
                unsafe pin(messages, from: &index, into: pinned, count: 0) { count in
                    unsafe body(UnsafeBufferPointer(rebasing: pinned[..<count]), position)
                    position += count
                }
            }
            precondition(position == messages.count, "messages has fewer elements than its count")
        }
    }

    /// Pins one message, then recursively the rest of the window: bytes stay pinned only while a closure runs.
    @inlinable
    static func pin<Messages: Collection>(
        _ messages: Messages, from index: inout Messages.Index,
        into pinned: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>, count: Int, _ body: (Int) -> Void
    ) where Messages.Element: Collection<UInt8> {
        guard count < capacity, index != messages.endIndex else { return body(count) }
        let message = messages[index]
        messages.formIndex(after: &index)
        let contiguous: Void? = message.withContiguousStorageIfAvailable { bytes in
            unsafe pinned.initializeElement(at: count, to: UnsafeRawBufferPointer(bytes))
            unsafe pin(messages, from: &index, into: pinned, count: count + 1, body)
        }
        if contiguous != nil { return }
        unsafe Array(message).withUnsafeBytes { bytes in
            unsafe pinned.initializeElement(at: count, to: bytes)
            unsafe pin(messages, from: &index, into: pinned, count: count + 1, body)
        }
    }
}
