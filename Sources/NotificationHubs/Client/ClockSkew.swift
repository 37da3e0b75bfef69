import HubText
import SharedAccessSignature

extension HubResponse {
    /// The service's time minus this machine's, in seconds; `nil` without a valid `Date` header (RFC 9110 §6.6.1).
    func clockSkew(now: Int64) -> Int64? {
        headers["Date"].flatMap(HTTPDate.time)?.seconds.subtractingSaturated(now)
    }
}

/// The difference between two clocks.
enum ClockSkew {
    /// The differences that the client corrects, in seconds.
    ///
    /// A smaller one does not expire a token. A larger one would make a token valid for days, if the date were wrong.
    private static let correctable: ClosedRange<UInt64> = 60...86_400

    /// Returns a difference if the client corrects it.
    static func correctable(_ skew: Int64?) -> Int64? {
        skew.flatMap { correctable.contains($0.magnitude) ? $0 : nil }
    }

    /// Returns a description such as `this machine's clock is 8 h behind the hub's`; `nil` for less than a minute.
    static func text(_ skew: Int64) -> String? {
        guard skew.magnitude >= 60 else { return nil }
        return "this machine's clock is \(span(skew.magnitude)) \(skew > 0 ? "behind" : "ahead of") the hub's"
    }

    /// Returns a time in its largest unit, rounded.
    private static func span(_ seconds: UInt64) -> String {
        let units: [(size: UInt64, name: String)] = [(86_400, "days"), (3600, "h"), (60, "min")]
        let unit = units.first { seconds >= 2 * $0.size } ?? (60, "min")
        return "\((seconds + unit.size / 2) / unit.size) \(unit.name)"
    }
}

extension NotificationHub {
    /// Returns a description of the difference between the hub's clock and this machine's, as in ``HubEvent/clockSkew``.
    package static func clockText(_ skew: Duration) -> String {
        ClockSkew.text(skew.components.seconds) ?? "this machine's clock and the hub's differ by less than a minute"
    }
}
