#if arch(x86_64) && compiler(>=6.3)
import Builtin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The clock of the measurements.
enum CycleCounter {
    #if arch(x86_64) && compiler(>=6.3)
    /// The unit of the clock, for reports.
    static let unit = "cycles of the time stamp counter"

    /// Returns the time stamp counter.
    ///
    /// The fences let all earlier instructions finish and no later one start. The builtins are those of the intrinsics
    /// `_mm_lfence` and `__rdtsc`, which Swift does not import.
    @inline(__always)
    static func now() -> UInt64 {
        Builtin.int_x86_sse2_lfence()
        let count = Builtin.int_x86_rdtsc()
        Builtin.int_x86_sse2_lfence()
        return UInt64(count)
    }
    #else
    /// The unit of the clock, for reports.
    static let unit = "nanoseconds of the monotonic clock"

    /// Returns the monotonic clock. Programs cannot read the cycle counter of other processors, and Swift 6.2 lacks the builtins.
    @inline(__always)
    static func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
    #endif
}
