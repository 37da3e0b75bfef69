import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The service's time formats other than ISO 8601. All times are UTC.
enum ServiceTime {
    /// The service's expiration time for a device that never expires.
    static let neverText = "9999-12-31T23:59:59.9999999Z"

    /// Returns the time in the format of error details, such as `11/7/2018 12:18:37 AM`.
    static func stamp(_ date: Date) -> String {
        guard let time = Timestamp(date)?.fields else { return "" }
        let hour = time.hour % 12 == 0 ? 12 : time.hour % 12
        let half = time.hour < 12 ? "AM" : "PM"
        return "\(time.month)/\(time.day)/\(time.year) "
            + "\(hour):\(time.minute.padded(to: 2)):\(time.second.padded(to: 2)) \(half)"
    }

    /// Returns the time in the format of notification IDs, such as `20181107001837`.
    static func digits(_ date: Date) -> String {
        (Timestamp(date)?.text ?? "").filter(\.isNumber)
    }

    /// Returns the milliseconds within the second, as three digits.
    static func milliseconds(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        return Int((seconds - seconds.rounded(.down)) * 1000).padded(to: 3)
    }
}
