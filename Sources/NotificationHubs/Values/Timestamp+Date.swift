package import HubText

#if canImport(FoundationEssentials)
package import struct FoundationEssentials.Date
#else
package import struct Foundation.Date
#endif

extension Timestamp {
    /// Creates a timestamp from a date, rounded down to the second; `nil` outside the years 1 to 9999.
    package init?(_ date: Date) {
        guard let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) else { return nil }
        self.init(seconds: seconds)
    }

    /// The time as a date.
    package var date: Date { Date(timeIntervalSince1970: Double(seconds)) }
}

extension Date {
    /// The date; `nil` in the last second of the year 9999, which is how the service writes "never".
    package var unlessNever: Date? { self < Timestamp.last.date ? self : nil }
}
