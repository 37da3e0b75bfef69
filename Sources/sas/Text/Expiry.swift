import HubText
import SharedAccessSignature

/// A token's expiry, as reports show it.
struct Expiry {
    /// Seconds since 1970 UTC.
    let seconds: Int64

    /// ISO 8601 in UTC, such as `2026-11-21T12:00:00Z`; the number of seconds outside of the years 1 to 9999.
    var text: String { Timestamp(seconds: seconds)?.text ?? "second \(seconds) since 1970" }

    /// The time to or since the expiry, such as `ends in 59 minutes` or `ended 3 days ago`.
    func ending(seenFrom now: Int64) -> String {
        if seconds == now { return "ended just now" }
        return seconds > now
            ? "ends in \(Self.words(seconds.subtractingSaturated(now)))"
            : "ended \(Self.words(now.subtractingSaturated(seconds))) ago"
    }

    /// A number of seconds in the largest unit, rounded down.
    static func words(_ seconds: Int64) -> String {
        let units: [(Int64, String)] = [(31_556_952, "year"), (86_400, "day"), (3600, "hour"), (60, "minute")]
        let (size, name) = units.first { seconds >= $0.0 * ($0.1 == "year" ? 2 : 1) } ?? (1, "second")
        let count = seconds / size
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }
}
