import HubCommandLine
import HubText

/// Times and time spans on the command line.
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
            case let (seconds, overflow) = count.multipliedReportingOverflow(by: unit),
            !overflow
        else { throw UsageError("\(option) is a longer time span than there is") }
        return seconds
    }

    /// An end such as `+1h` from now on, or `@1700000000`.
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

    /// The time that is to count as now, if the command line gives one.
    static func now(_ arguments: inout Arguments) throws(UsageError) -> Int64? {
        guard let text = try arguments.value(of: "--now") else { return nil }
        guard let now = number(Array(text.utf8)) else {
            throw UsageError("--now wants seconds since 1970, such as 1700000000")
        }
        return now
    }

    /// A number of decimal digits alone.
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
