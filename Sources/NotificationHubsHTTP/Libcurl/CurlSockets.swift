#if !canImport(Darwin)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The open sockets of libcurl's connections, confined to the loop's thread.
///
/// Newer versions of libcurl, such as 8.23, can reuse a connection that the server has closed, because they check a connection at
/// most once per second. They notice only after they have sent a request, and then resending it is not safe.
final class CurlSockets {
    /// The sockets of new connections, with the address of the transfer that opened each.
    private var openers: [CInt: Int] = [:]
    /// The sockets of connections that have been used, by libcurl's ID of the connection.
    private var sockets: [Int: CInt] = [:]

    /// Records a new socket of a transfer.
    func add(_ socket: CInt, openedBy transfer: Int) {
        openers[socket] = transfer
    }

    /// Forgets a socket before it is closed.
    func remove(_ socket: CInt) {
        openers[socket] = nil
        if let connection = sockets.first(where: { $0.value == socket })?.key { sockets[connection] = nil }
    }

    /// Shuts down a connection that the server has closed, so that libcurl cannot send a byte on it, and tries another one.
    ///
    /// - Returns: Whether the connection was shut down.
    func shutDownIfClosed(_ connection: Int, for transfer: Int) -> Bool {
        guard let socket = sockets[connection] else {
            // A new connection. libcurl has closed the sockets of other attempts.
            let opened = openers.filter { $0.value == transfer }.keys
            for socket in opened { openers[socket] = nil }
            if opened.count == 1 { sockets[connection] = opened.first }
            return false
        }
        // An idle connection can be read only if it ends, or if the server breaks the protocol.
        var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&state, 1, 0) > 0 else { return false }
        shutdown(socket, CInt(SHUT_RDWR))
        return true
    }
}
#endif
