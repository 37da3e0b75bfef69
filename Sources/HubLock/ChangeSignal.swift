/// The changes of a state, for threads that wait for them.
///
/// A thread gets the next event, reads the state, and waits for the event. A change after the read has signaled the event, so it is
/// not missed.
package final class ChangeSignal: Sendable {
    struct State {
        /// The event of the next change, which its waiters own: its descriptors are closed when no thread waits.
        weak var next: WakeUp?
    }

    let state = Locked(State())

    package init() {}

    /// Returns the event of the next change, which all threads share; `nil` if too many files are open.
    package func nextEvent() -> WakeUp? {
        state.withLock { state in
            let event = state.next ?? (try? WakeUp())
            state.next = event
            return event
        }
    }

    /// Reports a change. It does not wait for the threads.
    package func signal() {
        let event = state.withLock { state in
            defer { state.next = nil }
            return state.next
        }
        event?.signal()
    }
}
