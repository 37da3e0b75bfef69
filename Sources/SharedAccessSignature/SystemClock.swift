#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The system clock, for calls that omit the current time.
enum SystemClock {
    /// Returns the current time in seconds since 1970 UTC.
    static func now() -> Int64 {
        Int64(time(nil))
    }

    /// Returns the end of a lifetime that starts now, clamped to 0 through `Int64.max`.
    static func expiry(after lifetime: Duration, now: Int64?) -> Int64 {
        max(0, (now ?? self.now()).addingSaturated(lifetime.components.seconds))
    }
}

extension Int64 {
    /// Returns the sum, clamped to the range of the type.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, clamped to the range of the type.
    package func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
