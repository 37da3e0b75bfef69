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

extension HMAC.Key {
    /// The authentication codes of many messages, in their order; see the form that takes any collections.
    package func authenticationCodes(for messages: JoinedMessages) -> [HMAC.AuthenticationCode] {
        let count = messages.count
        return unsafe [HMAC.AuthenticationCode](unsafeUninitializedCapacity: count) { codes, initializedCount in
            unsafe messages.forEachWindow { window, position in
                unsafe authenticationCodes(
                    window, into: UnsafeMutableBufferPointer(rebasing: codes[position..<count]))
            }
            initializedCount = count
        }
    }
}

extension HMAC.Prefix {
    /// Calls `body` with the authentication codes of the messages that begin with prefixes, in their order, and that all end
    /// with `suffix`. They are worked on side by side, as in every batch, and nothing is allocated.
    ///
    /// - Parameter suffix: up to ``maximumSuffixByteCount`` bytes.
    package static func forEachAuthenticationCode(
        of prefixes: [HMAC.Prefix], appending suffix: UnsafeRawBufferPointer,
        _ body: (Int, HMAC.AuthenticationCode) -> Void
    ) {
        guard let kernels = prefixes.first?.kernels else { return }
        unsafe prefixes.withUnsafeBufferPointer { prefixes in
            unsafe withUnsafeTemporaryAllocation(of: BigEndianWords.self, capacity: windowCount) { codes in
                for start in stride(from: 0, to: prefixes.count, by: windowCount) {
                    let window = unsafe UnsafeBufferPointer(rebasing: prefixes[start...].prefix(windowCount))
                    unsafe Lanes.run(
                        .completed(window, suffix), kernels: kernels, results: codes.baseAddress.unsafelyUnwrapped)
                    for index in window.indices {
                        unsafe body(start + index, HMAC.AuthenticationCode(codes[index]))
                    }
                }
            }
        }
    }

    /// As many codes as fit on the stack: temporary allocations beyond a kilobyte come from the heap.
    private static let windowCount = 32
}
