import HubText

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
        if !bytes.isEmpty, bytes.allSatisfy(\.isASCIIDigit) {
            return .seconds(min(Int64(text) ?? .max, longest))
        }
        guard let date = HTTPDate.time(text), date >= .epoch else { return nil }
        return .seconds(min(max(0, date.seconds.subtractingReportingOverflow(now).partialValue), longest))
    }

    private static let longest: Int64 = 86_400
}
