import HubLock

/// A polling action in progress on a connection.
struct HTTPPollState {
    /// The minimum time between two checks, so that frequent changes do not occupy the processor.
    static let checkInterval = Duration.milliseconds(20)

    private let poll: HTTPPoll
    private let limits: HTTPLimits
    private let state: Listener.Status
    private let start = ContinuousClock.now
    private var lastCheck: ContinuousClock.Instant?
    /// The events that make the action due: changes since the last check, and changes of the server's state.
    private(set) var events: [WakeUp] = []
    /// The time at which the action is due without an event.
    private(set) var deadline: PeerDeadline

    init(_ poll: HTTPPoll, _ limits: HTTPLimits, _ state: Listener.Status) {
        (self.poll, self.limits, self.state) = (poll, limits, state)
        deadline = limits.deadline(poll.timeout, since: start, state)
    }

    /// Returns the next action, or `nil` to continue waiting.
    ///
    /// The wait ends at the timeout, when the server stops, and early if others wait.
    mutating func next() -> HTTPAction? {
        let hasEnded = state() == .stopping || end(within: poll.timeout).time <= .now
        if !hasEnded, let lastCheck, lastCheck + Self.checkInterval > .now {
            setDue(after: [state.changes], within: lastCheck + Self.checkInterval - start)
            return nil
        }
        lastCheck = .now
        // A full listener can change for each connection, so its state is read again later instead.
        let isFull = state() == .full
        // The events come before the check and the next read of the state, so that no change is missed.
        let hasEvents = setDue(after: poll.changes + (isFull ? [] : [state.changes]), within: poll.timeout)
        if let action = poll.check() { return action }
        if state() == .stopping || end(within: poll.timeout).time <= .now { return poll.onTimeout() }
        let times = [
            poll.timeToNextCheck(), isFull ? limits.contendedTime : nil, hasEvents ? nil : PeerDeadline.checkInterval,
        ]
        if let time = times.compactMap(\.self).min() { deadline = end(within: min(poll.timeout, .now - start + time)) }
        return nil
    }

    /// Makes the action due after a change, or after a time since the start.
    ///
    /// - Returns: Whether each change makes it due. If too many files are open, some do not.
    @discardableResult private mutating func setDue(after changes: [ChangeSignal], within time: Duration) -> Bool {
        events = changes.compactMap { $0.nextEvent() }
        deadline = end(within: min(poll.timeout, time))
        return events.count == changes.count
    }

    private func end(within time: Duration) -> PeerDeadline {
        limits.deadline(time, since: start, state)
    }

    /// Whether ``next()`` can return an action.
    var isDue: Bool {
        state() == .stopping || deadline.time <= .now || events.contains { $0.isSignaled }
    }
}
