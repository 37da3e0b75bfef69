import HubLock

/// Takes connections on a port, and gives each a thread of its own.
package final class Listener: Sendable {
    /// The port that clients connect to.
    package let port: UInt16

    private let wakeUp: WakeUp
    private let connections: Connections
    /// The thread that waits for connections, until somebody stops it.
    private let acceptor: Locked<SystemThread?>

    /// Whether connections are to go on.
    package enum State: Sendable {
        case open
        /// As many are open as may be, and others wait: they are to end when nothing is under way on them.
        case crowded
        /// They are to end as soon as what is under way on them is answered.
        case stopping
    }

    /// Serves a connection, which is closed when this returns.
    package typealias Serve = @Sendable (_ connection: Socket, _ state: @escaping @Sendable () -> State) -> Void

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: an IPv4 or IPv6 literal.
    ///   - port: 0 lets the system choose.
    ///   - connectionCount: how many connections are served at a time, if the process may have so many files open; others
    ///     wait.
    ///   - serve: what to do with a connection.
    /// - Throws: ``SocketError``, if the port is in use for one.
    package init(
        address: String = "127.0.0.1", port: UInt16, connectionCount: Int = .max, serve: @escaping Serve
    ) throws(SocketError) {
        let socket = try Socket.listening(address: address, port: port)
        let wakeUp = try WakeUp()
        let connections = Connections(
            maximumCount: min(connectionCount, DescriptorLimit.current.connectionCount), haveEnded: try WakeUp())
        self.port = try socket.port()
        self.wakeUp = wakeUp
        self.connections = connections
        do {
            acceptor = Locked(
                try SystemThread {
                    while let connection = socket.accept(
                        unless: wakeUp, hasRoom: connections.hasRoom, hasFailed: connections.crowd)
                    {
                        connections.start(connection, serve)
                    }
                    // A process that is being started has a copy of the descriptor, which would keep the port open.
                    socket.shutDown()
                })
        } catch {
            throw SocketError("start a thread", code: error.code)
        }
    }

    deinit {
        stop(within: .zero)
    }

    /// Closes the port, lets every connection end, and waits until their threads have. A second call does nothing.
    ///
    /// - Parameter duration: after what time connections that are not at their end are broken off.
    package func stop(within duration: Duration) {
        let thread = acceptor.withLock { acceptor in
            defer { acceptor = nil }
            return acceptor
        }
        guard let thread else { return }
        wakeUp.signal()
        thread.join()
        connections.stop(within: duration)
    }
}
