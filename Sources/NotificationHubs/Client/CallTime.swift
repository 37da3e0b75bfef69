#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// The clock and the random numbers of a call, so that tests can supply their own.
package struct CallTime: Sendable {
    /// The time since a fixed moment.
    package var elapsed: @Sendable () -> Duration
    /// Waits between attempts. Throws `CancellationError` at once when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// Waits for the deadline of a token. Throws `CancellationError` at once when the task is cancelled.
    package var timer: @Sendable (Duration) async throws -> Void
    /// A random number from 0 to 1.
    package var random: @Sendable () -> Double
    /// Seconds since 1970 UTC.
    package var now: @Sendable () -> Int64

    package init(
        elapsed: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        timer: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        random: @escaping @Sendable () -> Double, now: @escaping @Sendable () -> Int64
    ) {
        (self.elapsed, self.sleep, self.timer, self.random, self.now) = (elapsed, sleep, timer, random, now)
    }

    /// The system's clock and random numbers.
    package static var system: CallTime {
        let start = ContinuousClock.now
        return CallTime(
            elapsed: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) },
            random: { Double.random(in: 0...1) }, now: { Int64(Date().timeIntervalSince1970) })
    }
}
