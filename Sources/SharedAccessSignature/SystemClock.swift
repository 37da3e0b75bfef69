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

    /// When a lifetime ends that begins now: a second that a token can name.
    static func expiry(after lifetime: Duration, now: Int64?) -> Int64 {
        max(0, (now ?? self.now()).addingSaturated(lifetime.components.seconds))
    }
}

extension Int64 {
    /// The sum, or the last number there is where it is beyond that.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the last number there is where it is beyond that.
    package func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
