/// The preferred date format of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
package enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns a time in the preferred format.
    package static func text(_ time: Timestamp) -> String {
        let fields = time.fields
        let day = time.seconds.floorDivided(by: 86_400)
        let weekday = weekdays[Int(day - day.floorDivided(by: 7) * 7)]
        return "\(weekday), \(fields.day.padded(to: 2)) \(months[fields.month - 1]) \(fields.year.padded(to: 4)) "
            + "\(fields.hour.padded(to: 2)):\(fields.minute.padded(to: 2)):\(fields.second.padded(to: 2)) GMT"
    }

    /// Parses a date in the preferred format, ignoring the weekday. Returns `nil` for any other text.
    package static func time(_ text: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        guard bytes.count == 29, bytes[3] == UInt8(ascii: ","), bytes[25...].elementsEqual(" GMT".utf8),
            [4, 7, 11, 16].allSatisfy({ bytes[$0] == UInt8(ascii: " ") }),
            bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":"),
            let month = months.firstIndex(where: { $0.utf8.elementsEqual(bytes[8..<11]) }),
            let day = number(bytes[5..<7]), let year = number(bytes[12..<16]), let hour = number(bytes[17..<19]),
            let minute = number(bytes[20..<22]), let second = number(bytes[23..<25]), second <= 60
        else { return nil }
        // A leap second counts as the preceding second.
        return Timestamp(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: min(second, 59))
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
