import HubText
import NotificationHubs

extension HubEmulator.Fault {
    /// Parses a fault from text, such as `POST /messages status=429 retry-after=2 rate=0.1`.
    ///
    /// The text starts with an optional method or `*`, and a path. These fields follow in any order: `status=429` and
    /// `retry-after=2`, `stall`, `reset=before` or `reset=after`; `latency=300ms`; `rate=0.1`, `nth=1,3` or `every=5`;
    /// `hub=push`.
    ///
    /// - Throws: ``InvalidText`` if the text is not a fault.
    package init(_ text: String) throws(InvalidText) {
        var words = text.split(separator: " ")[...]
        var fields: [(name: String, value: String)] = []
        if let first = words.first, !first.hasPrefix("/") { fields.append(("method", String(words.removeFirst()))) }
        if let first = words.first, first.hasPrefix("/") { fields.append(("path", String(words.removeFirst()))) }
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let isFlag = parts.count == 1 && word == "stall"
            guard parts.count == 2 || isFlag else {
                throw InvalidText("expected NAME=VALUE after the path, such as status=503")
            }
            fields.append((String(parts[0]), isFlag ? "true" : String(parts[1])))
        }
        try self.init(fields: fields)
    }

    /// Creates a fault from named fields.
    ///
    /// - Throws: ``InvalidText`` if a field is missing, duplicate, unknown or invalid.
    package init(fields: [(name: String, value: String)]) throws(InvalidText) {
        var reader = try Fields(fields)
        guard let path = reader.take("path"), path.hasPrefix("/") else {
            throw InvalidText("missing path: expected one that starts with a slash, such as /messages")
        }
        let method = try reader.take("method").flatMap { text throws(InvalidText) -> HubRequest.Method? in
            if text == "*" { return nil }
            guard let method = HubRequest.Method.known(text.uppercased()) else {
                throw InvalidText("invalid method: expected GET, PUT, POST, PATCH, DELETE or *")
            }
            return method
        }
        self.init(
            effect: try Self.effect(&reader), method: method, path: path,
            latency: try reader.duration("latency") ?? .zero, occurrence: try Self.occurrence(&reader),
            hubName: reader.take("hub"))
        try reader.finish()
        guard effect != nil || latency > .zero else {
            throw InvalidText("missing effect: add status, stall, reset or latency")
        }
    }

    private static func effect(_ reader: inout Fields) throws(InvalidText) -> Effect? {
        var effects: [Effect] = []
        if let status = try reader.number("status", in: 200...599) {
            effects.append(.status(status, retryAfter: try reader.duration("retry-after")))
        }
        switch reader.take("stall") {
        case nil, "false": break
        case "true": effects.append(.stall)
        default: throw InvalidText("invalid stall: expected no value")
        }
        switch reader.take("reset") {
        case nil: break
        case "before": effects.append(.resetBefore)
        case "after": effects.append(.resetAfter)
        default: throw InvalidText("invalid reset: expected before or after")
        }
        if effects.count > 1 { throw InvalidText("conflicting effects: use only one of status, stall and reset") }
        return effects.first
    }

    private static func occurrence(_ reader: inout Fields) throws(InvalidText) -> Occurrence {
        var occurrences: [Occurrence] = []
        if let text = reader.take("rate") {
            guard let rate = Double(text), (0...1).contains(rate) else {
                throw InvalidText("invalid rate: expected a number from 0 to 1")
            }
            occurrences.append(.rate(rate))
        }
        if let text = reader.take("nth") {
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
            guard numbers.allSatisfy({ $0 > 0 }) else {
                throw InvalidText("invalid nth: expected positive integers, such as 1,3")
            }
            occurrences.append(.calls(Set(numbers)))
        }
        if let step = try reader.number("every", in: 1...Int(Int32.max)) { occurrences.append(.every(step)) }
        if occurrences.count > 1 { throw InvalidText("conflicting occurrences: use only one of rate, nth and every") }
        return occurrences.first ?? .always
    }

    /// An error that describes why a fault cannot be parsed.
    package struct InvalidText: Error, Hashable, CustomStringConvertible {
        /// The problem, in one line.
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    /// A fault's fields by name. Reading a field removes it.
    private struct Fields {
        private var values: [String: String] = [:]

        init(_ fields: [(name: String, value: String)]) throws(InvalidText) {
            for (name, value) in fields {
                guard values.updateValue(value, forKey: name) == nil else {
                    throw InvalidText("\(name) given more than once")
                }
            }
        }

        mutating func take(_ name: String) -> String? {
            values.removeValue(forKey: name)
        }

        mutating func number(_ name: String, in range: ClosedRange<Int>) throws(InvalidText) -> Int? {
            guard let text = take(name) else { return nil }
            guard let number = Int(text), range.contains(number) else {
                throw InvalidText(
                    "invalid \(name): expected a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }

        mutating func duration(_ name: String) throws(InvalidText) -> Duration? {
            guard let text = take(name) else { return nil }
            guard let duration = Duration(shortText: text) else {
                throw InvalidText("invalid \(name): expected a duration such as 300ms, 2s or 1m")
            }
            return duration
        }

        func finish() throws(InvalidText) {
            if values["retry-after"] != nil { throw InvalidText("retry-after requires status") }
            guard let unknown = values.keys.min() else { return }
            throw InvalidText(
                """
                unknown field "\(unknown)" (allowed: method, path, hub, status, retry-after, stall, reset, latency, rate, \
                nth, every)
                """)
        }
    }
}

extension Duration {
    /// Creates a duration from text such as `300ms`, `2s` or `1.5m`; without a unit, in seconds. The maximum is one day.
    package init?(shortText text: String) {
        let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60)]
        let (suffix, unit) = units.first { text.hasSuffix($0.0) } ?? ("", 1)
        let digits = text.utf8.dropLast(suffix.utf8.count)
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }),
            let number = Double(String(Substring(digits))), number * unit <= 86_400
        else { return nil }
        self = .milliseconds((number * unit * 1000).rounded())
    }
}
