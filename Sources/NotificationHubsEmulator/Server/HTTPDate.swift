import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// The form in which HTTP has a time: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// A time in that form; outside of the years 1 to 9999, 1970 begins.
    static func text(_ date: Date) -> String {
        let date = Timestamp(date).map { _ in date } ?? Date(timeIntervalSince1970: 0)
        let days = Int((date.timeIntervalSince1970 / 86_400).rounded(.down))
        let parts = (Timestamp(date)?.text ?? "").split { "-T".contains($0) }
        guard parts.count == 4, let month = Int(parts[1]) else { return "" }
        let weekday = weekdays[(days % 7 + 7) % 7]
        return "\(weekday), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3].dropLast()) GMT"
    }
}
