import HubLock

/// Takes connections on a port of 127.0.0.1, and gives each a thread of its own.
package final class Listener: Sendable {
    /// The port that clients connect to.
    package let port: UInt16

    private let wakeUp: WakeUp
    private let connections: Connections
    /// The thread that waits for connections, until somebody stops it.
    private let acceptor: Locked<SystemThread?>

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - serve: what to do with a connection; it is closed when this returns.
    /// - Throws: ``SocketError``, if the port is in use for one.
    package init(port: UInt16, serve: @escaping @Sendable (Socket) -> Void) throws(SocketError) {
        let socket = try Socket.listening(port: port)
        let wakeUp = try WakeUp()
        let connections = Connections()
        self.port = try socket.port()
        self.wakeUp = wakeUp
        self.connections = connections
        acceptor = Locked(
            try SystemThread {
                while let connection = socket.accept(unless: wakeUp) {
                    connections.start(connection, serve)
                }
            })
    }

    deinit {
        stop()
    }

    /// Closes the port and every connection, and waits until their threads have ended.
    package func stop() {
        let thread = acceptor.withLock { acceptor in
            defer { acceptor = nil }
            return acceptor
        }
        guard let thread else { return }
        wakeUp.signal()
        thread.join()
        connections.stop()
    }
}

/// The connections that are open, and their threads.
private final class Connections: Sendable {
    private struct State {
        var open: [Int: (socket: Socket, thread: SystemThread)] = [:]
        var nextNumber = 0
    }

    private let state = Locked(State())

    /// Serves a connection; if no thread can be had for it, it is closed.
    func start(_ socket: Socket, _ serve: @escaping @Sendable (Socket) -> Void) {
        state.withLock { state in
            let number = state.nextNumber
            let thread = try? SystemThread { [self] in
                serve(socket)
                socket.shutDown()
                // Who takes a thread off the list sees to its end: this one, or `stop()`.
                self.state.withLock { $0.open.removeValue(forKey: number) }?.thread.detach()
            }
            guard let thread else { return }
            state.nextNumber += 1
            state.open[number] = (socket, thread)
        }
    }

    func stop() {
        let open = state.withLock { state in
            defer { state.open = [:] }
            return state.open
        }
        for (socket, _) in open.values { socket.shutDown() }
        for (_, thread) in open.values { thread.join() }
    }
}
