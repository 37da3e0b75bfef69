#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Threads of the system's own: as many as are asked for, which Swift's pool does not promise.
enum SystemThreads {
    /// How many processors there are.
    static var processorCount: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }

    /// Runs a body on some threads at once, and waits for all of them.
    ///
    /// - Returns: what the body returned on each.
    static func run<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable () -> Result
    ) throws(Failure) -> [Result] {
        var threads: [(handle: pthread_t, box: Box)] = []
        // Those that did start must come to their end first, whatever happens.
        func join() { for thread in threads { pthread_join(thread.handle, nil) } }
        var results: [Slot<Result>] = []
        for _ in 0..<count {
            let slot = Slot<Result>()
            let box = Box { unsafe slot.result = body() }
            guard let handle = start(box) else {
                join()
                throw Failure(threadCount: count)
            }
            threads.append((handle, box))
            results.append(slot)
        }
        join()
        return unsafe results.compactMap(\.result)
    }

    /// Not as many threads could be started.
    struct Failure: Error, CustomStringConvertible {
        let threadCount: Int

        var description: String { "the system does not start \(threadCount) threads" }
    }

    private static func start(_ box: Box) -> pthread_t? {
        let argument = unsafe Unmanaged.passUnretained(box).toOpaque()
        #if canImport(Darwin)
        var handle: pthread_t?
        #else
        var handle = pthread_t()
        #endif
        let status = unsafe pthread_create(&handle, nil, { unsafe Box.run($0) }, argument)
        #if canImport(Darwin)
        return unsafe status == 0 ? handle : nil
        #else
        return status == 0 ? handle : nil
        #endif
    }

    /// Where a thread leaves its result: it alone writes, before its end, and is joined before anyone reads.
    private final class Slot<Result>: @unchecked Sendable {
        nonisolated(unsafe) var result: Result?
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }

        static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let pointer = unsafe pointer else { return nil }
            unsafe Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue().body()
            return nil
        }
    }
}
