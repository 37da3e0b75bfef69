#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// What a call knows of time and chance: a test brings its own.
package struct CallTime: Sendable {
    /// How long it is since some moment.
    package var elapsed: @Sendable () -> Duration
    /// Waits; throws `CancellationError` at once when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 to 1.
    package var random: @Sendable () -> Double
    /// Seconds since 1970 UTC.
    package var now: @Sendable () -> Int64

    package init(
        elapsed: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable () -> Double, now: @escaping @Sendable () -> Int64
    ) {
        (self.elapsed, self.sleep, self.random, self.now) = (elapsed, sleep, random, now)
    }

    /// The system's.
    package static var system: CallTime {
        let start = ContinuousClock.now
        return CallTime(
            elapsed: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) },
            random: { Double.random(in: 0...1) }, now: { Int64(Date().timeIntervalSince1970) })
    }
}
