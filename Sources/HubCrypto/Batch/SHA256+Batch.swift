extension SHA256 {
    /// The digests of many messages, in their order.
    ///
    /// Messages of any lengths are hashed side by side, as many as the processor takes at once; contiguous ones are read in
    /// place. Beside the array that is returned nothing is allocated. A batch of one costs what ``hash(bufferPointer:)`` costs.
    @inlinable
    public static func hash<Messages: Collection>(batch messages: Messages) -> [Digest]
    where Messages.Element: Collection<UInt8> {
        let count = messages.count
        return unsafe [Digest](unsafeUninitializedCapacity: count) { digests, initializedCount in
            unsafe hash(batch: messages, into: UnsafeMutableBufferPointer(rebasing: digests[..<count]))
            initializedCount = count
        }
    }

    /// Writes the digests of many messages, in their order, to where the caller wants them. Nothing is allocated
    /// for messages that are contiguous; others are copied.
    ///
    /// - Parameters:
    ///   - messages: the messages.
    ///   - digests: memory, initialised or not, for just as many digests as there are messages.
    @inlinable
    public static func hash<Messages: Collection>(
        batch messages: Messages, into digests: UnsafeMutableBufferPointer<Digest>
    ) where Messages.Element: Collection<UInt8> {
        precondition(digests.count == messages.count, "a batch has a digest for each message")
        unsafe PinnedWindow.forEach(of: messages) { window, position in
            unsafe hash(window, into: UnsafeMutableBufferPointer(rebasing: digests[position...]))
        }
    }

    @usableFromInline
    static func hash(
        _ window: UnsafeBufferPointer<UnsafeRawBufferPointer>, into digests: UnsafeMutableBufferPointer<Digest>
    ) {
        unsafe hash(window, into: digests, kernels: .best)
    }

    /// Writes the digests of messages that are pinned, by given kernels.
    package static func hash(
        _ window: UnsafeBufferPointer<UnsafeRawBufferPointer>, into digests: UnsafeMutableBufferPointer<Digest>,
        kernels: KernelChoice
    ) {
        precondition(window.count <= digests.count, "the batch has more messages than it says")
        guard let start = digests.baseAddress else { return }
        // A digest is its words and nothing else.
        unsafe start.withMemoryRebound(to: BigEndianWords.self, capacity: window.count) {
            unsafe Lanes.run(.messages(window), kernels: kernels, results: $0)
        }
    }
}
