/// A time in the years 1 to 9999, in whole seconds of UTC, with ISO 8601 as its text form.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// The seconds since 1970-01-01T00:00:00Z.
    package let seconds: Int64

    /// The latest time, 9999-12-31T23:59:59Z. The service uses it for "never".
    package static let last = Timestamp(checked: range.upperBound)
    /// 1970-01-01T00:00:00Z.
    package static let epoch = Timestamp(checked: 0)
    // `Int64`, because `Int` has 32 bits on some watches.
    private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    private init(checked seconds: Int64) { self.seconds = seconds }

    /// Creates a time from seconds since 1970. Returns `nil` outside the years 1 to 9999.
    package init?(seconds: Int64) {
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Creates a time from its fields. Returns `nil` if the date or the time of day does not exist.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day),
            (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second)
        else { return nil }
        let days = Int64(Self.days(before: year, month, day))
        seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }

    /// Parses a time such as `2020-01-31T23:59`.
    ///
    /// Seconds (`:59`), which may have a fraction of any length, and an offset (`Z`, `+01:30`, `+0130` or `+01`) can
    /// follow, in this order. The default offset is UTC. The fraction is discarded.
    package init?(_ text: some StringProtocol) {
        var rest = Substring(text).utf8[...]
        guard let year = rest.takeNumber(digits: 4), rest.take("-"), let month = rest.takeNumber(digits: 2),
            rest.take("-"), let day = rest.takeNumber(digits: 2), rest.take("T"),
            let hour = rest.takeNumber(digits: 2), rest.take(":"), let minute = rest.takeNumber(digits: 2)
        else { return nil }
        var second = 0
        if rest.take(":") {
            guard let number = rest.takeNumber(digits: 2) else { return nil }
            second = number
            if rest.take(".") {
                guard rest.takeNumber(digits: 1) != nil else { return nil }
                while rest.takeNumber(digits: 1) != nil {}
            }
        }
        guard let offset = rest.takeOffset(), rest.isEmpty,
            let local = Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        self.init(seconds: local.seconds - Int64(offset))
    }

    /// The time as ISO 8601, such as `2020-01-31T23:59:59Z`.
    package var text: String {
        let fields = fields
        return "\(fields.year.padded(to: 4))-\(fields.month.padded(to: 2))-\(fields.day.padded(to: 2))T"
            + "\(fields.hour.padded(to: 2)):\(fields.minute.padded(to: 2)):\(fields.second.padded(to: 2))Z"
    }

    /// The date and the time of day.
    package var fields: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        let days = seconds.floorDivided(by: 86_400)
        let second = Int(seconds - days * 86_400)
        let (year, month, day) = Self.date(days: Int(days))
        return (year, month, day, second / 3600, second / 60 % 60, second % 60)
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

    /// Returns the number of days from 1970 to a date. Years start in March, so a leap day is the last day of its
    /// year.
    private static func days(before year: Int, _ month: Int, _ day: Int) -> Int {
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
            guard byte.isASCIIDigit else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        guard count >= digits else { return nil }
        removeFirst(digits)
        return number
    }

    /// Parses an offset from UTC, and returns it in seconds.
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

extension Int64 {
    /// Returns the quotient, rounded toward negative infinity.
    func floorDivided(by divisor: Int64) -> Int64 {
        self / divisor - (self % divisor < 0 ? 1 : 0)
    }
}

extension Int {
    /// Returns the number in decimal with leading zeros, at least `width` digits long.
    package func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}
