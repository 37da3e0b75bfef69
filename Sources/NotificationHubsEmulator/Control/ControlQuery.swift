import NotificationHubs

/// The parameters of a query, decoded.
struct ControlQuery {
    private var values: [String: String] = [:]

    init(_ query: String) {
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[parts[0].percentDecoded(readsPlusAsSpace: true)] =
                parts.count == 2 ? parts[1].percentDecoded(readsPlusAsSpace: true) : ""
        }
    }

    subscript(name: String) -> String? { values[name] }

    /// A whole number; `nil` if it is not there.
    func number(_ name: String) throws(ControlError) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), (0...1_000_000_000).contains(number) else {
            throw ControlError(400, "\(name) is a whole number")
        }
        return number
    }

    /// How many seconds to wait for something, a minute at the most.
    func wait() throws(ControlError) -> Duration {
        guard let text = values["wait"] else { return .zero }
        guard let duration = Duration(shortText: text) else { throw ControlError(400, "wait is a number of seconds") }
        return min(duration, .seconds(60))
    }
}
