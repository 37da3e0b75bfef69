#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A system thread, for work that blocks. Blocking would exhaust Swift's cooperative thread pool.
///
/// Unchecked `Sendable`: the handle is a constant, and its functions can be called from any thread.
@safe package final class SystemThread: @unchecked Sendable {
    private let handle: pthread_t

    /// A failure to start a thread.
    package struct StartError: Error {
        /// The error number.
        package let code: CInt
    }

    /// Starts a thread. Call either ``join()`` or ``detach()`` exactly once.
    package init(_ body: @escaping @Sendable () -> Void) throws(StartError) {
        let box = unsafe Unmanaged.passRetained(Box(body))
        #if canImport(Darwin)
        var handle: pthread_t?
        let status = unsafe pthread_create(&handle, nil, { unsafe Box.run($0) }, box.toOpaque())
        #else
        var handle: pthread_t = 0
        let status = unsafe pthread_create(&handle, nil, { unsafe Box.run($0) }, box.toOpaque())
        #endif
        #if canImport(Darwin)
        guard status == 0, let handle = unsafe handle else {
            unsafe box.release()
            throw StartError(code: status)
        }
        unsafe self.handle = handle
        #else
        guard status == 0 else {
            unsafe box.release()
            throw StartError(code: status)
        }
        self.handle = handle
        #endif
    }

    /// Waits until the thread ends.
    package func join() {
        #if canImport(Darwin)
        unsafe pthread_join(handle, nil)
        #else
        pthread_join(handle, nil)
        #endif
    }

    /// Releases the handle; the thread continues until it ends.
    package func detach() {
        #if canImport(Darwin)
        unsafe pthread_detach(handle)
        #else
        pthread_detach(handle)
        #endif
    }

    /// Blocks all signals for the current thread, so that handlers run on other threads.
    ///
    /// On Linux, `SIGPIPE` is sent to the thread that writes, so it does not end the process either. On Darwin, it is sent to the
    /// process: sockets need `SO_NOSIGPIPE`.
    package static func blockSignals() {
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Suspends the current thread for a duration of up to 1000 seconds. A signal can end the wait early.
    package static func sleep(_ duration: Duration) {
        let milliseconds = (max(.zero, duration) / .milliseconds(1)).rounded(.up)
        poll(nil, 0, CInt(min(milliseconds, 1e6)))
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }

        static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let pointer = unsafe pointer else { return nil }
            unsafe Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body()
            return nil
        }
    }
}
