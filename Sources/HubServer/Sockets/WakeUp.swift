#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A one-time event that threads can poll together with sockets: a pipe to which one byte is written.
final class WakeUp: Sendable {
    private let reading: CInt
    private let writing: CInt

    init() throws(SocketError) {
        var ends: [CInt] = [0, 0]
        _ = try SocketError.check("create a pipe", unsafe pipe(&ends))
        (reading, writing) = (closedOnExec(ends[0], 0), closedOnExec(ends[1], 0))
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Signals the event for all current and future waiters. Call this method once.
    func signal() {
        var byte: UInt8 = 1
        _ = unsafe write(writing, &byte, 1)
    }

    /// Waits for the signal or the timeout.
    func wait(atMost duration: Duration) {
        let deadline = ContinuousClock.now + duration
        var polled = pollDescriptor
        repeat {
            let left = max(.zero, deadline - .now) / .milliseconds(1)
            if unsafe poll(&polled, 1, CInt(min(left.rounded(.up), 1e6))) > 0 { return }
        } while deadline > .now
    }

    var pollDescriptor: pollfd { pollfd(fd: reading, events: Int16(POLLIN), revents: 0) }
}
