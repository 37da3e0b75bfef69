import SharedAccessSignature

/// A second of history as people read it.
struct Timestamp {
    /// Since 1970 UTC.
    let seconds: Int64

    /// ISO 8601 in UTC, such as `2026-11-21T12:00:00Z`; the number alone where the year has not four digits.
    var text: String {
        let days = seconds.flooredQuotient(86_400)
        let second = seconds - days * 86_400
        let (year, month, day) = Self.civil(days)
        guard (0...9999).contains(year) else { return "second \(seconds) since 1970" }
        return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
            + "T\(Self.padded(second / 3600, 2)):\(Self.padded(second / 60 % 60, 2)):\(Self.padded(second % 60, 2))Z"
    }

    /// How far a token's end is away, such as `ends in 59 minutes` or `ended 3 days ago`.
    func ending(seenFrom now: Int64) -> String {
        if seconds == now { return "ended just now" }
        return seconds > now
            ? "ends in \(Self.words(seconds.subtractingSaturated(now)))"
            : "ended \(Self.words(now.subtractingSaturated(seconds))) ago"
    }

    /// A time span in its largest unit, rounded down.
    static func words(_ seconds: Int64) -> String {
        let units: [(Int64, String)] = [(31_556_952, "year"), (86_400, "day"), (3600, "hour"), (60, "minute")]
        let (size, name) = units.first { seconds >= $0.0 * ($0.1 == "year" ? 2 : 1) } ?? (1, "second")
        let count = seconds / size
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }

    /// The date of a day since 1970 in the Gregorian calendar, by eras of 400 years that begin in March, so that the leap
    /// day is a year's last.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Int64 {
    /// The quotient, rounded down.
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}
