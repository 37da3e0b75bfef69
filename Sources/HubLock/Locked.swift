#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A value that is protected by a mutex.
///
/// It uses `pthread_mutex_t`, which ThreadSanitizer supports on every platform. On Linux, ThreadSanitizer reports a
/// race for values that `Synchronization.Mutex` protects.
///
/// Unchecked `Sendable`: `state` is private and accessed only under the mutex. `State` and every result are `Sendable`,
/// so no reference to unprotected memory escapes.
@safe package final class Locked<State: Sendable>: @unchecked Sendable {
    private var state: State
    /// Heap-allocated, because a mutex must not move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Creates a protected value.
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

    /// Calls `body` with exclusive access to the value.
    ///
    /// The lock is not recursive: `body` must not call `withLock` on the same value.
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
