import HubText

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension HTTPDate {
    /// The current time.
    static var now: String { text(Timestamp(seconds: secondsSince1970()) ?? .epoch) }
}

/// Outside the extension, whose own `time` hides the function of the C library.
private func secondsSince1970() -> Int64 { Int64(time(nil)) }
