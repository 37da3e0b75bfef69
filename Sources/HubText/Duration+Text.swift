extension Duration {
    /// The duration in seconds for messages, rounded down to milliseconds, such as `15 seconds` or `0.086 seconds`.
    package var secondsText: String {
        let (seconds, attoseconds) = components
        let (whole, fraction) = (Swift.abs(attoseconds) / 1_000_000_000_000_000).quotientAndRemainder(dividingBy: 1000)
        guard whole == 0, fraction > 0 else { return seconds == 1 ? "1 second" : "\(seconds) seconds" }
        var digits = String(1000 + fraction).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(self < .zero && seconds == 0 ? "-" : "")\(seconds).\(digits) seconds"
    }
}
