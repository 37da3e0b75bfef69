import HubCommandLine
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A point in time given on the command line.
struct Moment {
    let date: Date

    /// Parses a time such as `2026-11-21T18:00:00Z`, or a duration from now such as `10m`.
    ///
    /// - Parameter option: The option's name for the error message.
    init(_ text: String, of option: OptionName) throws(UsageError) {
        if let span = try? TimeSpan(text, of: option) {
            self.init(after: span)
        } else {
            try self.init(date: text, of: option)
        }
    }

    /// Parses a time with a time zone, which is required because the hub and the user may assume different ones.
    init(date text: String, of option: OptionName) throws(UsageError) {
        let hasZone = text.utf8.drop { $0 != UInt8(ascii: "T") }.contains { "Z+-".utf8.contains($0) }
        guard hasZone, let time = Timestamp(text) else {
            throw UsageError("\(option): expected a time with its time zone, such as 2026-11-21T18:00:00Z")
        }
        date = time.date
    }

    /// Creates the time after a duration from now.
    init(after span: TimeSpan) {
        date = Date(timeIntervalSinceNow: Double(span.seconds))
    }

    /// The time in the service's format, in whole seconds.
    var text: String { Timestamp(date)?.text ?? "" }
}

/// A duration given on the command line: a number followed by `s`, `m`, `h` or `d`.
struct TimeSpan {
    let seconds: Int

    /// Parses a duration.
    ///
    /// - Parameter option: The option's name for the error message.
    init(_ text: String, of option: OptionName) throws(UsageError) {
        let digits = text.utf8.dropLast()
        let units: [UInt8: Int] = [
            UInt8(ascii: "s"): 1, UInt8(ascii: "m"): 60, UInt8(ascii: "h"): 3600, UInt8(ascii: "d"): 86_400,
        ]
        guard let unit = text.utf8.last.flatMap({ units[$0] }), (1...6).contains(digits.count),
            digits.allSatisfy(\.isASCIIDigit),
            let count = Int(String(Substring(digits))), count > 0
        else {
            throw UsageError("\(option): expected a duration such as 90s, 10m, 2h or 1d")
        }
        // Cannot overflow 64 bits, since there are at most six digits.
        seconds = count * unit
    }
}
