#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A one-time event that threads can poll together with sockets: a pipe to which one byte is written.
package final class WakeUp: Sendable {
    private let pipe: SystemPipe

    package init() throws(SystemPipe.CreationError) {
        pipe = try SystemPipe()
    }

    deinit {
        pipe.close()
    }

    /// The descriptor to poll. It is readable when the event is signaled.
    package var descriptor: CInt { pipe.reading }

    /// Signals the event for all current and future waiters. Call this method once.
    package func signal() {
        var byte: UInt8 = 1
        _ = unsafe write(pipe.writing, &byte, 1)
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
