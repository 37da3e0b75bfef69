#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A thread of the system's, for work that waits: Swift's own are too few for that.
///
/// Sendable although unchecked: a thread's handle is a name, and this one never changes.
final class SystemThread: @unchecked Sendable {
    private let handle: pthread_t

    /// Starts a thread. Either ``join()`` or ``detach()`` is to be called once.
    init(_ body: @escaping @Sendable () -> Void) throws(SocketError) {
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
            throw SocketError("start a thread", code: status)
        }
        unsafe self.handle = handle
        #else
        guard status == 0 else {
            unsafe box.release()
            throw SocketError("start a thread", code: status)
        }
        self.handle = handle
        #endif
    }

    /// Waits for the thread's end.
    func join() {
        pthread_join(handle, nil)
    }

    /// Lets the thread end by itself.
    func detach() {
        pthread_detach(handle)
    }

    /// Has the thread that calls this wait. A signal may end that early.
    static func sleep(_ duration: Duration) {
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
