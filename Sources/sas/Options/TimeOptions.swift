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

/// Parses times and time spans of the command line.
enum TimeOptions {
    /// A time span such as `90s`, `5m`, `1h`, `7d`, or a plain number of seconds.
    static func seconds(_ text: String, of option: String) throws(UsageError) -> Int64 {
        var digits = Array(text.utf8)
        var unit: Int64 = 1
        if let last = digits.last, let size = size(ofUnit: last) {
            unit = size
            digits.removeLast()
        }
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else {
            let isNegative = digits.first == UInt8(ascii: "-")
            throw UsageError(
                "\(option) wants a time span such as 90s, 5m, 1h or 7d\(isNegative ? ", not negative" : "")")
        }
        guard let count = Int64(digits.lossyText),
            case (let seconds, let overflow) = count.multipliedReportingOverflow(by: unit),
            !overflow
        else { throw UsageError("\(option) is a longer time span than there is") }
        return seconds
    }

    /// An expiry such as `+1h` from now, or `@1700000000`.
    static func expiry(_ text: String, now: Int64) throws(UsageError) -> Int64 {
        let rest = String(Substring(text.utf8.dropFirst()))
        switch text.utf8.first {
        case UInt8(ascii: "+"):
            let (expiry, overflow) = now.addingReportingOverflow(try seconds(rest, of: "--expires"))
            guard !overflow else { throw UsageError("--expires is beyond the last second that a token can name") }
            return expiry
        case UInt8(ascii: "@"):
            if let expiry = number(Array(rest.utf8)) { return expiry }
            if !rest.isEmpty, rest.utf8.allSatisfy(\.isASCIIDigit) {
                throw UsageError("--expires is beyond the last second that a token can name")
            }
        default:
            break
        }
        throw UsageError("--expires wants a time span such as +1h, or seconds since 1970 such as @1700000000")
    }

    /// The value of `--now`, if given.
    static func now(_ arguments: inout Arguments) throws(UsageError) -> Int64? {
        guard let text = try arguments.value(of: "--now") else { return nil }
        guard let now = number(Array(text.utf8)) else {
            throw UsageError("--now wants seconds since 1970, such as 1700000000")
        }
        return now
    }

    /// A number that consists of decimal digits.
    private static func number(_ digits: [UInt8]) -> Int64? {
        guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(digits.lossyText)
    }

    private static func size(ofUnit letter: UInt8) -> Int64? {
        switch letter {
        case UInt8(ascii: "s"): 1
        case UInt8(ascii: "m"): 60
        case UInt8(ascii: "h"): 3600
        case UInt8(ascii: "d"): 86_400
        default: nil
        }
    }
}

/// The system's clock.
enum Clock {
    /// Seconds since 1970 UTC.
    static func now() -> Int64 {
        Int64(time(nil))
    }
}

/// A token's expiry, for reports.
struct Expiry {
    /// Seconds since 1970 UTC.
    let seconds: Int64

    /// ISO 8601 in UTC, such as `2026-11-21T12:00:00Z`; the number of seconds outside the years 1 to 9999.
    var text: String { Timestamp(seconds: seconds)?.text ?? "second \(seconds) since 1970" }

    /// The distance from now, such as `ends in 59 minutes` or `ended 3 days ago`.
    func ending(seenFrom now: Int64) -> String {
        if seconds == now { return "ended just now" }
        return seconds > now
            ? "ends in \(Self.words(seconds.subtractingSaturated(now)))"
            : "ended \(Self.words(now.subtractingSaturated(seconds))) ago"
    }

    /// A number of seconds in the largest unit, rounded down.
    static func words(_ seconds: Int64) -> String {
        let units: [(Int64, String)] = [
            (31_556_952, "year"), (86_400, "day"), (3600, "hour"), (60, "minute"),
        ]
        let (size, name) = units.first { seconds >= $0.0 * ($0.1 == "year" ? 2 : 1) } ?? (1, "second")
        let count = seconds / size
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }
}
