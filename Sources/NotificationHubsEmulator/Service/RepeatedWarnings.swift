import HubText

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The repetitions of recent warnings, which are counted: a load test would otherwise repeat a warning thousands of times.
struct RepeatedWarnings: Sendable {
    /// The time in seconds within which a repeated warning is only counted.
    private static let interval = 1.0

    /// The maximum number of texts to count. Further ones are recorded each time.
    private static let maximumCount = 1000

    private var recent: [ByteString: (date: Date, count: Int)] = [:]
    /// The time of the next search for warnings that are no longer recent, at most one in each interval.
    private(set) var nextSearch: Date?

    /// Counts a warning. Returns whether it is a repetition, which must not be recorded.
    mutating func count(_ text: String, now: Date) -> Bool {
        let text = ByteString(text)
        if recent[text] != nil {
            recent[text]?.count += 1
            return true
        }
        guard recent.count < Self.maximumCount else { return false }
        recent[text] = (now, 0)
        nextSearch = nextSearch ?? now + Self.interval
        return false
    }

    /// Removes the warnings that are no longer recent, and returns those that were repeated, in order.
    mutating func removeEnded(now: Date) -> [(text: String, count: Int)] {
        guard let nextSearch, nextSearch <= now else { return [] }
        let ended = recent.filter { $0.value.date + Self.interval <= now }
        for text in ended.keys { recent[text] = nil }
        self.nextSearch = recent.isEmpty ? nil : now + Self.interval
        return ended.filter { $0.value.count > 0 }.sorted { left, right in
            left.value.date == right.value.date
                ? left.key.text.precedesByBytes(right.key.text) : left.value.date < right.value.date
        }
        .map { ($0.key.text, $0.value.count) }
    }
}
