#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The system's clock, for callers that pass in no time of their own.
enum SystemClock {
    /// Seconds since 1970 UTC.
    static func now() -> Int64 {
        Int64(time(nil))
    }
}
