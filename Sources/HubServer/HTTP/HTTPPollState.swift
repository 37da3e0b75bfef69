import HubLock

/// A polling action in progress on a connection.
struct HTTPPollState {
    private let poll: HTTPPoll
    private let limits: HTTPLimits
    private let state: Listener.Status
    private let start = ContinuousClock.now
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
    /// The wait ends at the timeout, when the server stops, and early if others wait or too many files are open.
    mutating func next() -> HTTPAction? {
        // A full listener can change for each connection, so its state is read again later instead.
        let isFull = state() == .full
        let changes = poll.changes + (isFull ? [] : [state.changes])
        // Before the check and the next read of the state, so that no change is missed.
        events = changes.compactMap { $0.nextEvent() }
        if let action = poll.check() { return action }
        deadline = limits.deadline(poll.timeout, since: start, state)
        guard events.count == changes.count, state() != .stopping, deadline.time > .now else { return poll.onTimeout() }
        let times = [poll.timeToNextCheck(), isFull ? limits.contendedTime : nil].compactMap(\.self)
        if let time = times.min() {
            // At least a millisecond, so that a time in the past does not occupy the processor.
            let limit = .now - start + max(time, .milliseconds(1))
            deadline = limits.deadline(min(poll.timeout, limit), since: start, state)
        }
        return nil
    }

    /// Whether ``next()`` can return an action.
    var isDue: Bool {
        state() == .stopping || deadline.time <= .now || events.contains { $0.isSignaled }
    }
}
