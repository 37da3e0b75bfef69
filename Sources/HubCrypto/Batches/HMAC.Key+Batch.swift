extension HMAC.Key {
    /// The authentication codes of many messages, in their order.
    ///
    /// Messages of any lengths are worked on side by side, as many as the processor takes at once; contiguous ones are read
    /// in place. Beside the array that is returned nothing is allocated. A batch of one costs what
    /// ``authenticationCode(bufferPointer:)`` costs.
    @inlinable
    public func authenticationCodes<Messages: Collection>(for messages: Messages) -> [HMAC.AuthenticationCode]
    where Messages.Element: Collection<UInt8> {
        let count = messages.count
        return unsafe [HMAC.AuthenticationCode](unsafeUninitializedCapacity: count) { codes, initializedCount in
            unsafe authenticationCodes(for: messages, into: UnsafeMutableBufferPointer(rebasing: codes[..<count]))
            initializedCount = count
        }
    }

    /// Writes the authentication codes of many messages, in their order, to where the caller wants them. Nothing is
    /// allocated for messages that are contiguous; others are copied.
    ///
    /// - Parameters:
    ///   - messages: the messages.
    ///   - codes: memory, initialised or not, for just as many codes as there are messages.
    @inlinable
    public func authenticationCodes<Messages: Collection>(
        for messages: Messages, into codes: UnsafeMutableBufferPointer<HMAC.AuthenticationCode>
    ) where Messages.Element: Collection<UInt8> {
        precondition(codes.count == messages.count, "a batch has a code for each message")
        unsafe PinnedWindow.forEach(of: messages) { window, position in
            unsafe authenticationCodes(window, into: UnsafeMutableBufferPointer(rebasing: codes[position...]))
        }
    }

    @usableFromInline
    func authenticationCodes(
        _ window: UnsafeBufferPointer<UnsafeRawBufferPointer>,
        into codes: UnsafeMutableBufferPointer<HMAC.AuthenticationCode>
    ) {
        precondition(window.count <= codes.count, "the batch has more messages than it says")
        guard let start = codes.baseAddress else { return }
        // A code is its words and nothing else.
        unsafe start.withMemoryRebound(to: BigEndianWords.self, capacity: window.count) {
            unsafe Lanes.run(.authenticated(window, states), kernels: kernels, results: $0)
        }
    }
}
