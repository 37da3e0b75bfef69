#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// What a call knows of time and chance: a test brings its own.
package struct CallTime: Sendable {
    /// How long it is since some moment.
    package var elapsed: @Sendable () -> Duration
    /// Waits between attempts; throws `CancellationError` at once when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// Waits until a limit is over; throws `CancellationError` at once when the task is cancelled.
    package var timer: @Sendable (Duration) async throws -> Void
    /// A number from 0 to 1.
    package var random: @Sendable () -> Double
    /// Seconds since 1970 UTC.
    package var now: @Sendable () -> Int64

    package init(
        elapsed: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        timer: @escaping @Sendable (Duration) async throws -> Void = CallTime.pass,
        random: @escaping @Sendable () -> Double, now: @escaping @Sendable () -> Int64
    ) {
        (self.elapsed, self.sleep, self.timer, self.random, self.now) = (elapsed, sleep, timer, random, now)
    }

    /// The system's.
    package static var system: CallTime {
        let start = ContinuousClock.now
        return CallTime(
            elapsed: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) },
            random: { Double.random(in: 0...1) }, now: { Int64(Date().timeIntervalSince1970) })
    }

    /// Lets a limit pass, give or take a twentieth of a second.
    @Sendable package static func pass(_ limit: Duration) async throws {
        try await Limits.shared.pass(limit)
    }
}

extension CallTime {
    /// What an operation returns within a limit; whoever made it may have it heed neither limit nor cancellation.
    ///
    /// - Returns: `nil` when the limit is over. The operation is cancelled then, and not waited for.
    func value<Value: Sendable>(
        within limit: Duration, of operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try Task.checkCancellation()
        guard limit > .zero else { return nil }
        // The first one to end it ends it; a cancellation does too.
        let (values, end) = AsyncThrowingStream<Value, any Error>.makeStream()
        let work = Task {
            do {
                end.yield(try await operation())
                end.finish()
            } catch {
                end.finish(throwing: error)
            }
        }
        let limit = Task { [timer] in
            try await timer(limit)
            end.finish()
        }
        defer {
            work.cancel()
            limit.cancel()
        }
        for try await value in values { return value }
        try Task.checkCancellation()
        return nil
    }
}
