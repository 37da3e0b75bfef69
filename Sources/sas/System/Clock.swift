#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The system's clock.
enum Clock {
    /// Seconds since 1970 UTC.
    static func now() -> Int64 {
        Int64(time(nil))
    }
}
