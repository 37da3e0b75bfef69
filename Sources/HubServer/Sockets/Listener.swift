import HubLock

/// A port that is bound. Clients can connect, and wait until a listener serves them.
package struct ListeningPort: Sendable {
    /// The port's number.
    package let number: UInt16
    fileprivate let socket: Socket

    /// Binds a port.
    ///
    /// - Parameters:
    ///   - address: An IPv4 or IPv6 address of this machine.
    ///   - number: The port to listen on; 0 selects a free port.
    /// - Throws: ``SocketError`` if the port is in use, or the address does not belong to this machine.
    package init(address: String = "127.0.0.1", _ number: UInt16 = 0) throws(SocketError) {
        socket = try Socket.listening(address: address, port: number)
        self.number = try socket.port()
    }
}

/// A listener that accepts connections on a port and serves each one on its own thread.
package final class Listener: Sendable {
    /// The port that the listener is bound to.
    package let port: UInt16

    private let wakeUp: WakeUp
    private let connections: Connections
    /// The thread that accepts connections; `nil` after a stop.
    private let acceptor: Locked<SystemThread?>

    /// A listener's state, which determines when connections close.
    package enum State: Sendable {
        case open
        /// The connection limit is reached and more clients are waiting. Connections that wait for their client end early.
        case full
        /// The listener is stopping. Each connection must close after its request in flight.
        case stopping
    }

    /// A listener's current state.
    package struct Status: Sendable {
        let read: @Sendable () -> State
        /// The changes to ``State/full`` and ``State/stopping``.
        let changes: ChangeSignal

        func callAsFunction() -> State { read() }
    }

    /// A function that serves a connection. The connection closes when the function returns.
    package typealias Serve = @Sendable (_ connection: Socket, _ state: Status) -> Void

    /// Creates a listener and starts it.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - connectionCount: The maximum number of concurrent connections, also bounded by the process's descriptor limit.
    ///   - serve: The function that serves a connection.
    package init(
        on port: ListeningPort, connectionCount: Int = .max, serve: @escaping Serve
    ) throws(SocketError) {
        let socket = port.socket
        let wakeUp = try Self.makeWakeUp()
        let connections = Connections(
            maximumCount: min(connectionCount, DescriptorLimit.current.connectionCount), allEnded: try Self.makeWakeUp()
        )
        self.port = port.number
        self.wakeUp = wakeUp
        self.connections = connections
        do {
            acceptor = Locked(
                try SystemThread {
                    while let connection = socket.accept(
                        until: wakeUp, hasCapacity: connections.hasCapacity, onFailure: connections.setFull)
                    {
                        connections.start(connection, serve)
                    }
                    // A child process that is starting holds a copy of the descriptor, which would keep the port open.
                    socket.shutDown()
                })
        } catch {
            throw SocketError("start a thread", code: error.code)
        }
    }

    deinit {
        stop(within: .zero)
    }

    private static func makeWakeUp() throws(SocketError) -> WakeUp {
        do { return try WakeUp() } catch { throw SocketError("create a pipe", code: error.code) }
    }

    /// Closes the port and all connections, and waits for their threads. Further calls have no effect.
    ///
    /// - Parameter duration: The time after which connections with requests in flight are closed.
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

/// The open connections and their threads.
final class Connections: Sendable {
    private struct State {
        var open: [Int: (socket: Socket, thread: SystemThread)] = [:]
        var nextNumber = 0
        /// The number of connections whose threads are running.
        var count = 0
        var state = Listener.State.open
    }

    private let state = Locked(State())
    private let maximumCount: Int
    private let allEnded: WakeUp
    private let changes = ChangeSignal()

    /// - Parameter allEnded: Signaled when the last connection has ended after a stop.
    init(maximumCount: Int, allEnded: WakeUp) {
        self.maximumCount = maximumCount
        self.allEnded = allEnded
    }

    /// Returns whether another connection can be served, and updates the state accordingly.
    func hasCapacity() -> Bool {
        let hasCapacity = state.withLock { state in
            let hasCapacity = state.count < maximumCount
            if hasCapacity { state.state = .open }
            return hasCapacity
        }
        if !hasCapacity { setFull() }
        return hasCapacity
    }

    /// Marks the listener as full, because a waiting connection could not be accepted.
    func setFull() {
        let isChange = state.withLock { state in
            defer { state.state = .full }
            return state.state != .full
        }
        if isChange { changes.signal() }
    }

    /// Serves a connection on a new thread, or closes it if no thread can be created.
    func start(_ socket: Socket, _ serve: @escaping Listener.Serve) {
        state.withLock { state in
            let number = state.nextNumber
            let thread = try? SystemThread { [self] in
                serve(socket, Listener.Status(read: { self.state.withLock { $0.state } }, changes: changes))
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
            // Whichever side removes the thread from the list detaches or joins it: this function or `stop()`.
            let isStopping = state.state == .stopping
            let thread = isStopping ? nil : state.open.removeValue(forKey: number)?.thread
            return (thread, isStopping && state.count == 0)
        }
        thread?.detach()
        if isLast { allEnded.signal() }
    }

    /// Ends all connections and waits for their threads.
    func stop(within duration: Duration) {
        let open = state.withLock { state in
            state.state = .stopping
            if state.count == 0 { allEnded.signal() }
            defer { state.open = [:] }
            return state.open
        }
        changes.signal()
        // Data that was already received can still be read, followed by the end of input.
        for (socket, _) in open.values { socket.stopReceiving() }
        allEnded.wait(atMost: duration)
        for (socket, _) in open.values { socket.shutDown() }
        for (_, thread) in open.values { thread.join() }
    }
}
