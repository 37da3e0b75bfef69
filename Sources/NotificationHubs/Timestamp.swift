#if canImport(FoundationEssentials)
package import struct FoundationEssentials.Date
#else
package import struct Foundation.Date
#endif

/// A point in time as the service writes it: ISO 8601, to the second.
///
/// The fraction is dropped: its length varies, and no date of this service needs it.
package struct Timestamp: Comparable {
    /// Seconds since 1970.
    let seconds: Int64

    /// What the service says where something never ends, 9999-12-31T23:59:59.
    static let never = Timestamp(seconds: 253_402_300_799)
    /// The years 1 to 9999. (`Int` has 32 bits on some watches.)
    private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    private init(seconds: Int64) {
        self.seconds = seconds
    }

    /// A date of the years 1 to 9999, else `nil`.
    package init?(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard let seconds = Int64(exactly: seconds), Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// The time as a date.
    package var date: Date { Date(timeIntervalSince1970: Double(seconds)) }

    package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }

    /// Reads `2020-01-31T23:59`, then `:59` and a fraction of any length or neither, then `Z`, `+01:30`, `+0130`, `+01` or
    /// nothing, which is UTC too.
    package init?(_ text: String) {
        var rest = text.utf8[...]
        guard let year = rest.takeNumber(digits: 4), rest.take("-"), let month = rest.takeNumber(digits: 2),
            rest.take("-"), let day = rest.takeNumber(digits: 2), rest.take("T"),
            let hour = rest.takeNumber(digits: 2), rest.take(":"), let minute = rest.takeNumber(digits: 2),
            year >= 1, (1...12).contains(month), (1...Self.days(inMonth: month, of: year)).contains(day),
            hour < 24, minute < 60
        else { return nil }
        var second = 0
        if rest.take(":") {
            guard let number = rest.takeNumber(digits: 2), number < 60 else { return nil }
            second = number
            if rest.take(".") {
                guard rest.takeNumber(digits: 1) != nil else { return nil }
                while rest.takeNumber(digits: 1) != nil {}
            }
        }
        guard let offset = rest.takeOffset(), rest.isEmpty else { return nil }
        let days = Int64(Self.days(before: year, month, day))
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// The time in UTC, such as `2020-01-31T23:59:59Z`.
    package var text: String {
        let fields = fields
        return "\(padded(fields.year, 4))-\(padded(fields.month, 2))-\(padded(fields.day, 2))T"
            + "\(padded(fields.hour, 2)):\(padded(fields.minute, 2)):\(padded(fields.second, 2))Z"
    }

    /// The time in UTC, in its parts.
    package var fields: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let second = Int(seconds - Int64(days) * 86_400)
        let (year, month, day) = Self.date(days: days)
        return (year, month, day, second / 3600, second / 60 % 60, second % 60)
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970 to a date, years counted from March, so that a leap day ends one.
    static func days(before year: Int, _ month: Int, _ day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return 365 * marchYear + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    }

    private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
        let days = days + 719_468
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = (marchMonth + 2) % 12 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

extension Substring.UTF8View {
    fileprivate mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: character) else { return false }
        removeFirst()
        return true
    }

    fileprivate mutating func takeNumber(digits: Int) -> Int? {
        var number = 0
        for byte in prefix(digits) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        guard count >= digits else { return nil }
        removeFirst(digits)
        return number
    }

    /// Seconds east of Greenwich.
    fileprivate mutating func takeOffset() -> Int? {
        if isEmpty || take("Z") { return 0 }
        let sign = take("-") ? -1 : take("+") ? 1 : 0
        guard sign != 0, let hours = takeNumber(digits: 2), hours < 24 else { return nil }
        if isEmpty { return sign * hours * 3600 }
        _ = take(":")
        guard let minutes = takeNumber(digits: 2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
