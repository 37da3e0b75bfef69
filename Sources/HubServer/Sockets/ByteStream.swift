package import HubLock

/// A bidirectional byte stream: a socket, or a TLS connection over it.
package protocol ByteStream {
    /// Waits until ``receive()`` does not block.
    ///
    /// - Parameter events: Events that end the wait. Changes of the listener's state must be among them, unless there are no events.
    /// - Returns: `false` if the deadline has passed or an event is signaled.
    func canReceive(by deadline: PeerDeadline, or events: [WakeUp]) throws -> Bool
    /// Waits for bytes and returns them; an empty array after the peer has closed its sending direction.
    func receive() throws -> [UInt8]
    /// Sends all bytes.
    ///
    /// - Parameter deadline: The time at which sending fails if the peer has not accepted all bytes; `nil` for none.
    func send(_ bytes: [UInt8], by deadline: PeerDeadline?) throws
    /// Signals the end of the stream to the peer, if the protocol supports it.
    ///
    /// - Parameter deadline: As in ``send(_:by:)``.
    func sendEnd(by deadline: PeerDeadline?) throws
}

extension ByteStream {
    /// Waits until ``receive()`` does not block.
    ///
    /// - Returns: `false` if the deadline has passed.
    package func canReceive(by deadline: PeerDeadline) throws -> Bool {
        try canReceive(by: deadline, or: [])
    }
}

extension Socket: ByteStream {
    package func sendEnd(by deadline: PeerDeadline?) {}
}
