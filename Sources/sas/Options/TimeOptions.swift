import HubCommandLine
import HubText
import SharedAccessSignature
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Parsers for the command line's times and durations.
enum TimeOptions {
    /// Parses a duration such as `90s`, `1h30m`, `7d` or `2w`, or a number of seconds.
    ///
    /// Each unit appears once, from the largest to the smallest.
    static func seconds(_ text: String, of option: OptionName) throws(UsageError) -> Int64 {
        var rest = Array(text.utf8)[...]
        if !rest.isEmpty, rest.allSatisfy(\.isASCIIDigit) { rest.append(UInt8(ascii: "s")) }
        var seconds: Int64 = 0
        var previous = Int64.max
        repeat {
            let digits = rest.prefix(while: \.isASCIIDigit)
            rest = rest.dropFirst(digits.count)
            guard !digits.isEmpty, let unit = rest.popFirst().flatMap(size), unit < previous else {
                let hint = text.utf8.first == UInt8(ascii: "-") ? ", not a negative one" : ""
                throw UsageError("\(option): expected a duration such as 90s, 1h30m, 7d or 2w\(hint)")
            }
            previous = unit
            guard let count = Int64(digits.lossyText),
                case (let part, false) = count.multipliedReportingOverflow(by: unit),
                case (let sum, false) = seconds.addingReportingOverflow(part)
            else { throw UsageError("\(option): the duration must be less than 2^63 seconds") }
            seconds = sum
        } while !rest.isEmpty
        return seconds
    }

    /// Parses an expiry: `+1h`, relative to `now`, `2027-01-31T12:00Z` or `@1700000000`.
    static func expiry(_ text: String, now: Int64) throws(UsageError) -> Int64 {
        let rest = String(Substring(text.utf8.dropFirst()))
        switch text.utf8.first {
        case UInt8(ascii: "+"):
            let (expiry, overflow) = now.addingReportingOverflow(try seconds(rest, of: .expires))
            guard !overflow else { throw expiryTooLarge }
            return expiry
        case UInt8(ascii: "@"):
            if let expiry = number(Array(rest.utf8)) { return expiry }
            if !rest.isEmpty, rest.utf8.allSatisfy(\.isASCIIDigit) {
                throw expiryTooLarge
            }
        default:
            if let time = Timestamp(text), time >= .epoch { return time.seconds }
        }
        throw UsageError(
            "--expires: expected a duration such as +1h, a time such as 2027-01-31T12:00Z, or @ and seconds since 1970")
    }

    private static let expiryTooLarge = UsageError("--expires: the expiry must be less than 2^63 seconds since 1970")

    /// Parses `--now`, a time or seconds since 1970 UTC; `nil` if the option is omitted.
    static func now(_ arguments: inout Arguments) throws(UsageError) -> Int64? {
        guard let text = try arguments.value(of: .now) else { return nil }
        if let now = number(Array(text.utf8)) { return now }
        guard let time = Timestamp(text), time >= .epoch else {
            throw UsageError("--now: expected a time such as 2027-01-31T12:00Z, or seconds since 1970")
        }
        return time.seconds
    }

    /// Parses decimal digits; `nil` for other characters or on overflow.
    private static func number(_ digits: [UInt8]) -> Int64? {
        guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(digits.lossyText)
    }

    /// Returns the number of seconds in a unit.
    private static func size(ofUnit letter: UInt8) -> Int64? {
        switch letter {
        case UInt8(ascii: "s"): 1
        case UInt8(ascii: "m"): 60
        case UInt8(ascii: "h"): 3600
        case UInt8(ascii: "d"): 86_400
        case UInt8(ascii: "w"): 604_800
        default: nil
        }
    }
}

/// The system's clock.
enum Clock {
    /// Returns the current time in seconds since 1970 UTC.
    static func now() -> Int64 {
        Int64(time(nil))
    }
}

/// A token's expiry, formatted for reports.
struct Expiry {
    /// The expiry in seconds since 1970 UTC.
    let seconds: Int64

    /// The expiry in ISO 8601 and UTC, such as `2026-11-21T12:00:00Z`, or `second N since 1970` after the year 9999.
    var text: String { Timestamp(seconds: seconds)?.text ?? "second \(seconds) since 1970" }

    /// Returns the expiry relative to `now`, such as `expires in 30 days` or `expired 3 days ago`.
    func relativeText(now: Int64) -> String {
        if seconds == now { return "expired just now" }
        return seconds > now
            ? "expires in \(Self.durationText(seconds.subtractingSaturated(now)))"
            : "expired \(Self.durationText(now.subtractingSaturated(seconds))) ago"
    }

    /// Returns the expiry relative to `now` and its time, such as `expired 3 days ago (2026-11-21T12:00:00Z)`.
    func summary(now: Int64) -> String { "\(relativeText(now: now)) (\(text))" }

    /// Returns a number of seconds in the largest suitable unit. Rounds down, except in the last sixtieth of a unit:
    /// a token signed for 30 days a moment ago expires in 30 days.
    static func durationText(_ seconds: Int64) -> String {
        let units: [(Int64, String)] = [
            (31_556_952, "year"), (86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"),
        ]
        for (size, name) in units {
            let count = seconds / size + (seconds % size >= size - size / 60 ? 1 : 0)
            guard count >= (name == "year" ? 2 : 1) else { continue }
            return "\(count) \(name)\(count == 1 ? "" : "s")"
        }
        return "0 seconds"
    }
}
