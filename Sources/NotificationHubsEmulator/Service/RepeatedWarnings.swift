#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The repetitions of recent warnings, which are counted: a load test would otherwise repeat a warning thousands of times.
struct RepeatedWarnings: Sendable {
    /// The time in seconds within which a repeated warning is only counted.
    private static let interval = 1.0

    private var recent: [String: (date: Date, count: Int)] = [:]
    /// The time at which the oldest recent warning ceases to be recent.
    private var nextEnd: Date?

    /// Counts a warning. Returns whether it is a repetition, which must not be recorded.
    mutating func count(_ text: String, now: Date) -> Bool {
        if recent[text] != nil {
            recent[text]?.count += 1
            return true
        }
        recent[text] = (now, 0)
        nextEnd = nextEnd ?? now + Self.interval
        return false
    }

    /// Removes the warnings that are no longer recent, and returns those that were repeated, in order.
    mutating func removeEnded(now: Date) -> [(text: String, count: Int)] {
        guard let nextEnd, nextEnd <= now else { return [] }
        let ended = recent.filter { $0.value.date + Self.interval <= now }
        for text in ended.keys { recent[text] = nil }
        self.nextEnd = recent.values.map(\.date).min().map { $0 + Self.interval }
        return ended.filter { $0.value.count > 0 }.sorted { ($0.value.date, $0.key) < ($1.value.date, $1.key) }
            .map { ($0.key, $0.value.count) }
    }
}
