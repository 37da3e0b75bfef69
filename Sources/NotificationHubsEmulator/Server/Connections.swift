import HubLock

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
