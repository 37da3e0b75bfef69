/// The value of `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
    /// How long to wait.
    ///
    /// - Parameters:
    ///   - text: seconds, or a date in the preferred form of RFC 9110 §5.6.7, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///   - now: seconds since 1970 UTC.
    /// - Returns: no time for a date that has passed, a day at the most; `nil` for any other text.
    static func duration(_ text: String, now: Int64) -> Duration? {
        let bytes = Array(text.utf8)
        if !bytes.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int64(text) ?? .max, longest))
        }
        guard let date = date(bytes) else { return nil }
        return .seconds(min(max(0, date.subtractingReportingOverflow(now).partialValue), longest))
    }

    private static let longest: Int64 = 86_400

    /// Seconds since 1970 UTC.
    private static func date(_ text: [UInt8]) -> Int64? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // The day's name is not needed to know the date.
        guard text.count == 29, text[3] == UInt8(ascii: ","), text[25...].elementsEqual(" GMT".utf8),
            [4, 7, 11, 16].allSatisfy({ text[$0] == UInt8(ascii: " ") }),
            text[19] == UInt8(ascii: ":"), text[22] == UInt8(ascii: ":"),
            let month = months.firstIndex(where: { $0.utf8.elementsEqual(text[8..<11]) }),
            let day = number(text[5..<7]), let year = number(text[12..<16]), let hour = number(text[17..<19]),
            let minute = number(text[20..<22]), let second = number(text[23..<25]),
            (1...31).contains(day), year >= 1970, hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Int64(Timestamp.days(before: year, month + 1, day))
        return ((days * 24 + Int64(hour)) * 60 + Int64(minute)) * 60 + Int64(second)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
