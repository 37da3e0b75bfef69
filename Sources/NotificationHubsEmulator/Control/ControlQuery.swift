import NotificationHubs
import SharedAccessSignature

/// The parameters of a query, decoded.
struct ControlQuery {
    private var values: [String: String] = [:]

    init(_ query: String) {
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[Self.decoded(parts[0])] = parts.count == 2 ? Self.decoded(parts[1]) : ""
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

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexDigitValue,
                let low = rest.dropFirst().first?.hexDigitValue
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
