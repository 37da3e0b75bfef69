#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// Times as messages have them: ISO 8601, in UTC whether they say so or not.
enum WireTime {
    private static let secondsPerDay = 86_400

    /// `yyyy-MM-ddTHH:mm:ss`, in UTC, a fraction cut off; `nil` before 1970 and from the year 10000 on.
    static func text(_ date: Date) -> String? {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds >= 0, seconds < 253_402_300_800 else { return nil }
        let (days, second) = Int(seconds).quotientAndRemainder(dividingBy: secondsPerDay)
        let (year, month, day) = civil(days)
        func padded(_ number: Int, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month))-\(padded(day))T"
            + "\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))"
    }

    /// A time with or without a fraction, with `Z`, `+hh:mm` or no zone, which is UTC; else `nil`.
    static func date(_ text: String) -> Date? {
        var bytes = Array(text.utf8)[...]
        func number(_ digits: Int) -> Int? {
            guard bytes.count >= digits else { return nil }
            var value = 0
            for byte in bytes.prefix(digits) {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            bytes = bytes.dropFirst(digits)
            return value
        }
        func skip(_ mark: Unicode.Scalar) -> Bool {
            guard bytes.first == UInt8(ascii: mark) else { return false }
            bytes = bytes.dropFirst()
            return true
        }
        guard let year = number(4), year >= 1, skip("-"), let month = number(2), 1...12 ~= month, skip("-"),
            let day = number(2), day >= 1, skip("T"), let hour = number(2), hour < 24, skip(":"),
            let minute = number(2), minute < 60, skip(":"), let second = number(2), second <= 60
        else { return nil }
        let days = days(year, month, day)
        guard civil(days) == (year, month, day) else { return nil }
        var fraction = 0.0
        if skip(".") {
            var scale = 0.1
            guard let first = number(1) else { return nil }
            fraction = Double(first) * scale
            while let digit = number(1) {
                scale /= 10
                fraction += Double(digit) * scale
            }
        }
        var offset = 0
        if !bytes.isEmpty, !skip("Z") {
            let isWest = skip("-")
            guard isWest || skip("+"), let hours = number(2), hours < 24 else { return nil }
            _ = skip(":")
            guard let minutes = number(2), minutes < 60 else { return nil }
            offset = (hours * 60 + minutes) * (isWest ? -60 : 60)
        }
        guard bytes.isEmpty else { return nil }
        let whole = days * secondsPerDay + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSince1970: Double(whole) + fraction)
    }

    /// The Gregorian date of a day, counted from 1970 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    /// The day of a Gregorian date, counted from 1970; its inverse.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
