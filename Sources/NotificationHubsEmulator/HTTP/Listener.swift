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

/// The connections that are open, and their threads.
final class Connections: Sendable {
    private struct State {
        var open: [Int: (socket: Socket, thread: SystemThread)] = [:]
        var nextNumber = 0
        /// Those whose threads have not ended.
        var count = 0
        var state = Listener.State.open
    }

    private let state = Locked(State())
    private let maximumCount: Int
    private let haveEnded: WakeUp

    /// - Parameter haveEnded: is signalled when the last one has ended after a stop.
    init(maximumCount: Int, haveEnded: WakeUp) {
        self.maximumCount = maximumCount
        self.haveEnded = haveEnded
    }

    /// Whether one more may be served. If not, those that there are end sooner.
    func hasRoom() -> Bool {
        state.withLock { state in
            state.state = state.count < maximumCount ? .open : .crowded
            return state.state == .open
        }
    }

    /// Has those that there are end sooner: another one waits that cannot be had.
    func crowd() {
        state.withLock { $0.state = .crowded }
    }

    /// Serves a connection; if no thread can be had for it, it is closed.
    func start(_ socket: Socket, _ serve: @escaping Listener.Serve) {
        state.withLock { state in
            let number = state.nextNumber
            let thread = try? SystemThread { [self] in
                serve(socket) { self.state.withLock { $0.state } }
                end(number)
            }
            guard let thread else { return }
            state.nextNumber += 1
            state.count += 1
            state.open[number] = (socket, thread)
        }
    }

    private func end(_ number: Int) {
        let (thread, isLast) = state.withLock { state in
            state.count -= 1
            // Who takes a thread off the list sees to its end: this one, or `stop()`.
            let isStopping = state.state == .stopping
            let thread = isStopping ? nil : state.open.removeValue(forKey: number)?.thread
            return (thread, isStopping && state.count == 0)
        }
        thread?.detach()
        if isLast { haveEnded.signal() }
    }

    /// Has every connection end, and waits for their threads.
    func stop(within duration: Duration) {
        let open = state.withLock { state in
            state.state = .stopping
            if state.count == 0 { haveEnded.signal() }
            defer { state.open = [:] }
            return state.open
        }
        // What was received already is still read; behind it is the end.
        for (socket, _) in open.values { socket.stopReceiving() }
        haveEnded.wait(atMost: duration)
        for (socket, _) in open.values { socket.shutDown() }
        for (_, thread) in open.values { thread.join() }
    }
}
