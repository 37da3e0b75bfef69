import Dispatch
import HubLock

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The processors of this machine.
package enum Processors {
    /// The number of online processors.
    package static var count: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }

    /// The CPU time of all threads of this process so far, in user and system mode.
    package static var cpuTime: Duration {
        var usage = rusage()
        unsafe getrusage(0 /* RUSAGE_SELF; its type differs by platform */, &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(.zero) { time, part in
            time + .seconds(Int64(part.tv_sec)) + .microseconds(Int64(part.tv_usec))
        }
    }

    /// Runs a closure concurrently on a number of threads and waits for all of them.
    ///
    /// - Parameter count: The number of threads; at most the number of processors.
    /// - Returns: The results of all calls, in any order.
    package static func run<Result: Sendable>(_ count: Int, _ body: @Sendable () -> Result) -> [Result] {
        precondition(count <= Self.count, "count must not exceed the number of processors")
        let results = Locked<[Result]>([])
        DispatchQueue.concurrentPerform(iterations: count) { _ in
            let result = body()
            results.withLock { $0.append(result) }
        }
        return results.withLock { $0 }
    }
}
