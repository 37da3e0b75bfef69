extension HMAC.Key {
    /// Returns the authentication codes of many messages, in their order.
    ///
    /// Messages of any length are processed in parallel lanes, as many as the processor supports. Contiguous messages are
    /// read in place, and only the returned array is allocated; other messages are copied. A batch of one message costs
    /// about as much as ``authenticationCode(bufferPointer:)``.
    @inlinable
    public func authenticationCodes<Messages: Collection>(for messages: Messages) -> [HMAC.AuthenticationCode]
    where Messages.Element: Collection<UInt8> {
        let count = messages.count
        // Without a capacity, the initializer would write to the storage that all empty arrays share.
        return unsafe [HMAC.AuthenticationCode](unsafeUninitializedCapacity: max(1, count)) { codes, initializedCount in
            unsafe authenticationCodes(for: messages, into: UnsafeMutableBufferPointer(rebasing: codes[..<count]))
            initializedCount = count
        }
    }

    /// Writes the authentication codes of many messages to a buffer, in their order.
    ///
    /// Contiguous messages cause no allocation; other messages are copied.
    ///
    /// - Parameters:
    ///   - messages: The messages.
    ///   - codes: Initialized or uninitialized memory for exactly one code per message.
    @inlinable
    public func authenticationCodes<Messages: Collection>(
        for messages: Messages, into codes: UnsafeMutableBufferPointer<HMAC.AuthenticationCode>
    ) where Messages.Element: Collection<UInt8> {
        precondition(codes.count == messages.count, "codes must have exactly one element per message")
        unsafe PinnedWindow.forEach(of: messages) { window, position in
            unsafe authenticationCodes(window, into: UnsafeMutableBufferPointer(rebasing: codes[position...]))
        }
    }

    @usableFromInline
    func authenticationCodes(
        _ window: UnsafeBufferPointer<UnsafeRawBufferPointer>,
        into codes: UnsafeMutableBufferPointer<HMAC.AuthenticationCode>
    ) {
        precondition(window.count <= codes.count, "messages has more elements than its count")
        guard let start = codes.baseAddress else { return }
        // An authentication code has the same layout as its words.
        unsafe start.withMemoryRebound(to: BigEndianWords.self, capacity: window.count) {
            unsafe Lanes.run(.authenticated(window, states), kernels: states.kernels, results: $0)
        }
    }
}

/// The number of codes that fit on the stack: temporary allocations above 1 KiB use the heap.
private let windowCapacity = 32

extension HMAC.Key {
    /// Calls `body` with each of the indices and the authentication code of its message, in the order of the indices.
    ///
    /// The messages are processed in parallel lanes, without an allocation.
    package func forEachAuthenticationCode(
        of messages: JoinedMessages, at indices: [Int], _ body: (Int, HMAC.AuthenticationCode) -> Void
    ) {
        unsafe withUnsafeTemporaryAllocation(of: BigEndianWords.self, capacity: windowCapacity) { codes in
            unsafe messages.forEachWindow(of: indices, windowCapacity: windowCapacity) { window, start in
                unsafe Lanes.run(
                    .authenticated(window, states), kernels: states.kernels,
                    results: codes.baseAddress.unsafelyUnwrapped)
                for offset in window.indices {
                    unsafe body(indices[start + offset], HMAC.AuthenticationCode(codes[offset]))
                }
            }
        }
    }
}

extension HMAC.Prefix {
    /// Calls `body` with the authentication code of each message that consists of a prefix and `suffix`, in the order of
    /// the prefixes.
    ///
    /// The messages are processed in parallel lanes, without an allocation.
    ///
    /// - Parameter suffix: At most ``maximumSuffixByteCount`` bytes.
    package static func forEachAuthenticationCode(
        of prefixes: [HMAC.Prefix], appending suffix: UnsafeRawBufferPointer,
        _ body: (Int, HMAC.AuthenticationCode) -> Void
    ) {
        guard let kernels = prefixes.first?.kernels else { return }
        unsafe prefixes.withUnsafeBufferPointer { prefixes in
            unsafe withUnsafeTemporaryAllocation(of: BigEndianWords.self, capacity: windowCapacity) { codes in
                for start in stride(from: 0, to: prefixes.count, by: windowCapacity) {
                    let window = unsafe UnsafeBufferPointer(rebasing: prefixes[start...].prefix(windowCapacity))
                    unsafe Lanes.run(
                        .completed(window, suffix), kernels: kernels, results: codes.baseAddress.unsafelyUnwrapped)
                    for index in window.indices {
                        unsafe body(start + index, HMAC.AuthenticationCode(codes[index]))
                    }
                }
            }
        }
    }
}
