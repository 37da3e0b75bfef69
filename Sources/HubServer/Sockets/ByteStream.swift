/// A bidirectional byte stream: a socket, or a TLS connection over it.
package protocol ByteStream {
    /// Waits until ``receive()`` does not block.
    ///
    /// - Returns: `false` if the deadline has passed.
    func canReceive(by deadline: PeerDeadline) throws -> Bool
    /// Waits for bytes and returns them; an empty array after the peer has closed its sending direction.
    func receive() throws -> [UInt8]
    /// Returns available bytes, or `nil` if none are available; an empty array after the peer has closed its sending direction.
    func receiveAvailable() throws -> [UInt8]?
    /// Sends all bytes.
    ///
    /// - Parameter deadline: The time at which sending fails if the peer has not accepted all bytes; `nil` for none.
    func send(_ bytes: [UInt8], by deadline: PeerDeadline?) throws
    /// Signals the end of the stream to the peer, if the protocol supports it.
    ///
    /// - Parameter deadline: As in ``send(_:by:)``.
    func sendEnd(by deadline: PeerDeadline?) throws
}

extension Socket: ByteStream {
    package func sendEnd(by deadline: PeerDeadline?) {}
}
