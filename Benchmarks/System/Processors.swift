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
