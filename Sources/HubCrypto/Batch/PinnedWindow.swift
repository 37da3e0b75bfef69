/// Some messages of a batch whose bytes stay where they are while all of them are worked on at once.
@usableFromInline
enum PinnedWindow {
    /// At most this many messages are pinned: each takes a frame of the stack.
    @inlinable static var capacity: Int { 64 }

    /// Calls `body` for every window of a batch, in order.
    ///
    /// - Parameter body: gets the messages' bytes, and the position in the batch of the first of them.
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
            precondition(position == messages.count, "the batch has another number of messages than it says")
        }
    }

    /// Pins one message, and the others of the window by a call of itself: bytes are pinned as long as a closure runs.
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
