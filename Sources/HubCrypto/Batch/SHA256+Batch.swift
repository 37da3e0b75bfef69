extension SHA256 {
    /// Returns the digests of many messages, in their order.
    ///
    /// Messages of any length are hashed in parallel lanes, as many as the processor supports. Contiguous messages are
    /// read in place, and only the returned array is allocated; other messages are copied. A batch of one message costs
    /// about as much as ``hash(bufferPointer:)``.
    @inlinable
    public static func digests<Messages: Collection>(for messages: Messages) -> [Digest]
    where Messages.Element: Collection<UInt8> {
        let count = messages.count
        // Without a capacity, the initializer would write to the storage that all empty arrays share.
        return unsafe [Digest](unsafeUninitializedCapacity: max(1, count)) { digests, initializedCount in
            unsafe Self.digests(for: messages, into: UnsafeMutableBufferPointer(rebasing: digests[..<count]))
            initializedCount = count
        }
    }

    /// Writes the digests of many messages to a buffer, in their order.
    ///
    /// Contiguous messages cause no allocation; other messages are copied.
    ///
    /// - Parameters:
    ///   - messages: The messages.
    ///   - digests: Initialized or uninitialized memory for exactly one digest per message.
    @inlinable
    public static func digests<Messages: Collection>(
        for messages: Messages, into digests: UnsafeMutableBufferPointer<Digest>
    ) where Messages.Element: Collection<UInt8> {
        precondition(digests.count == messages.count, "digests must have exactly one element per message")
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

    /// Writes the digests of pinned messages, computed by the given kernels.
    package static func hash(
        _ window: UnsafeBufferPointer<UnsafeRawBufferPointer>, into digests: UnsafeMutableBufferPointer<Digest>,
        kernels: KernelChoice
    ) {
        precondition(window.count <= digests.count, "messages has more elements than its count")
        guard let start = digests.baseAddress else { return }
        // A digest has the same layout as its words.
        unsafe start.withMemoryRebound(to: BigEndianWords.self, capacity: window.count) {
            unsafe Lanes.run(.messages(window), kernels: kernels, results: $0)
        }
    }
}
