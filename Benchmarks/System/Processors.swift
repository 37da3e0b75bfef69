import Dispatch
import HubLock

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The processors of this machine, all at work at once.
package enum Processors {
    /// How many there are.
    package static var count: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }

    /// The CPU time of all threads of this process so far, in user and in system mode.
    package static var usedTime: Duration {
        var usage = rusage()
        unsafe getrusage(0 /* RUSAGE_SELF, whose type differs by platform */, &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(.zero) { time, part in
            time + .seconds(Int64(part.tv_sec)) + .microseconds(Int64(part.tv_usec))
        }
    }

    /// Runs a body on some of them at once, and waits for all.
    ///
    /// - Returns: what the body returned on each.
    package static func run<Result: Sendable>(_ count: Int, _ body: @Sendable () -> Result) -> [Result] {
        precondition(count <= Self.count, "more threads than processors take turns")
        let results = Locked<[Result]>([])
        DispatchQueue.concurrentPerform(iterations: count) { _ in
            let result = body()
            results.withLock { $0.append(result) }
        }
        return results.withLock { $0 }
    }
}
