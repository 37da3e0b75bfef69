#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A one-time event that threads can poll together with sockets: a pipe to which one byte is written.
package final class WakeUp: Sendable {
    /// The descriptor to poll. It is readable when the event is signaled.
    package let descriptor: CInt
    private let writing: CInt

    /// A failure to create a pipe.
    package struct CreationError: Error {
        /// The error number.
        package let code: CInt
    }

    package init() throws(CreationError) {
        var ends: [CInt] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw CreationError(code: errno) }
        // Child processes do not inherit descriptors.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (descriptor, writing) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    /// Signals the event for all current and future waiters. Call this method once.
    package func signal() {
        var byte: UInt8 = 1
        _ = unsafe write(writing, &byte, 1)
    }

    /// Whether the event is signaled.
    package var isSignaled: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&polled, 1, 0) > 0
    }

    /// Waits for the signal or the timeout.
    package func wait(atMost duration: Duration) {
        let deadline = ContinuousClock.now + duration
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        repeat {
            let left = max(.zero, deadline - .now) / .milliseconds(1)
            if unsafe poll(&polled, 1, CInt(min(left.rounded(.up), 1e6))) > 0 { return }
        } while deadline > .now
    }
}
