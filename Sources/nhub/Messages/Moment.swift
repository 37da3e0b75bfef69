import HubCommandLine
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A time, as a command line has it.
struct Moment {
    let date: Date

    /// A time such as `2026-11-21T18:00:00Z`, or how long until then, such as `10m`.
    ///
    /// - Parameter option: what it is the value of.
    init(_ text: String, of option: String) throws(UsageError) {
        if let span = try? TimeSpan(text, of: option) {
            self.init(after: span)
        } else {
            try self.init(date: text, of: option)
        }
    }

    /// A time with its zone: what has none means another time to whoever writes it than to the hub.
    init(date text: String, of option: String) throws(UsageError) {
        let hasZone = text.utf8.drop { $0 != UInt8(ascii: "T") }.contains { "Z+-".utf8.contains($0) }
        guard hasZone, let time = Timestamp(text) else {
            throw UsageError("\(option) wants a time with its zone, such as 2026-11-21T18:00:00Z")
        }
        date = time.date
    }

    /// A time from now on.
    init(after span: TimeSpan) {
        date = Date(timeIntervalSinceNow: Double(span.seconds))
    }

    /// The time as the service has it, to the second.
    var text: String { Timestamp(date)?.text ?? "" }
}

/// How long, as a command line has it: a number, and one of `s`, `m`, `h`, `d`.
struct TimeSpan {
    let seconds: Int

    /// - Parameter option: what it is the value of.
    init(_ text: String, of option: String) throws(UsageError) {
        let digits = text.utf8.dropLast()
        let units: [UInt8: Int] = [
            UInt8(ascii: "s"): 1, UInt8(ascii: "m"): 60, UInt8(ascii: "h"): 3600, UInt8(ascii: "d"): 86_400,
        ]
        guard let unit = text.utf8.last.flatMap({ units[$0] }), (1...6).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let count = Int(String(Substring(digits))), count > 0
        else {
            throw UsageError("\(option) wants a time span such as 90s, 10m, 2h or 1d")
        }
        // Six digits of days are not too many for 64 bits; a watch has 32, and no shell.
        seconds = count * unit
    }
}
