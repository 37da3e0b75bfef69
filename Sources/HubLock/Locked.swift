#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A value that many threads share, one at a time.
///
/// It stands on `pthread_mutex_t` because ThreadSanitizer knows that lock on every platform; it reports
/// `Synchronization.Mutex` on Linux as a race.
///
/// Sendable although unchecked: `state` is private, and is read and written under the mutex alone; `State` and every
/// result are `Sendable` themselves, so no reference to unprotected memory leaves with them.
@safe package final class Locked<State: Sendable>: @unchecked Sendable {
    private var state: State
    /// On the heap, since a mutex must not move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Protects a value.
    package init(_ state: State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed with \(status)")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deinitialize(count: 1)
        unsafe mutex.deallocate()
    }

    /// Calls `body` with the value while no other thread has it. Not to be nested for one and the same value.
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
