import NotificationHubs

extension HubEmulator.Fault {
    /// Reads a fault as an option has it, such as `POST /messages status=429 retry-after=2 rate=0.1`.
    ///
    /// First come a method, which may be missing or `*`, and a path; then, in any order: `status=429` and `retry-after=2`,
    /// `stall`, `reset=before` or `reset=after`; `latency=300ms`; `rate=0.1`, `nth=1,3` or `every=5`; `hub=push`.
    ///
    /// - Throws: ``InvalidText``.
    package init(_ text: String) throws(InvalidText) {
        var words = text.split(separator: " ")[...]
        var fields: [(name: String, value: String)] = []
        if let first = words.first, !first.hasPrefix("/") { fields.append(("method", String(words.removeFirst()))) }
        if let first = words.first, first.hasPrefix("/") { fields.append(("path", String(words.removeFirst()))) }
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let isFlag = parts.count == 1 && word == "stall"
            guard parts.count == 2 || isFlag else {
                throw InvalidText("a fault's words behind its path are NAME=VALUE")
            }
            fields.append((String(parts[0]), isFlag ? "true" : String(parts[1])))
        }
        try self.init(fields: fields)
    }

    /// Reads a fault from its parts, whatever form they came in.
    package init(fields: [(name: String, value: String)]) throws(InvalidText) {
        var reader = try Fields(fields)
        guard let path = reader.take("path"), path.hasPrefix("/") else {
            throw InvalidText("a fault has a path that begins with a slash, such as /messages")
        }
        let method = try reader.take("method").flatMap { text throws(InvalidText) -> HubRequest.Method? in
            if text == "*" { return nil }
            guard let method = HubRequest.Method.known(text.uppercased()) else {
                throw InvalidText("a fault's method is GET, PUT, POST, PATCH, DELETE or *")
            }
            return method
        }
        self.init(
            effect: try Self.effect(&reader), method: method, path: path,
            latency: try reader.duration("latency") ?? .zero, occurrence: try Self.occurrence(&reader),
            hubName: reader.take("hub"))
        try reader.finish()
        guard effect != nil || latency > .zero else {
            throw InvalidText("a fault has a status, stall, reset or latency")
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
        default: throw InvalidText("stall has no value")
        }
        switch reader.take("reset") {
        case nil: break
        case "before": effects.append(.resetBefore)
        case "after": effects.append(.resetAfter)
        default: throw InvalidText("reset is before or after")
        }
        if effects.count > 1 { throw InvalidText("a fault has one of status, stall and reset") }
        return effects.first
    }

    private static func occurrence(_ reader: inout Fields) throws(InvalidText) -> Occurrence {
        var occurrences: [Occurrence] = []
        if let text = reader.take("rate") {
            guard let rate = Double(text), (0...1).contains(rate) else {
                throw InvalidText("rate is a number from 0 to 1")
            }
            occurrences.append(.rate(rate))
        }
        if let text = reader.take("nth") {
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
            guard numbers.allSatisfy({ $0 > 0 }) else { throw InvalidText("nth is one number from 1 on, or some: 1,3") }
            occurrences.append(.calls(Set(numbers)))
        }
        if let step = try reader.number("every", in: 1...Int(Int32.max)) { occurrences.append(.every(step)) }
        if occurrences.count > 1 { throw InvalidText("a fault has one of rate, nth and every") }
        return occurrences.first ?? .always
    }

    /// Why a text is no fault.
    package struct InvalidText: Error, Hashable, CustomStringConvertible {
        /// What is wrong, in one line.
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// A fault's parts by their names, each taken once.
    private struct Fields {
        private var values: [String: String] = [:]

        init(_ fields: [(name: String, value: String)]) throws(InvalidText) {
            for (name, value) in fields {
                guard values.updateValue(value, forKey: name) == nil else {
                    throw InvalidText("a fault's part is there twice")
                }
            }
        }

        mutating func take(_ name: String) -> String? {
            values.removeValue(forKey: name)
        }

        mutating func number(_ name: String, in range: ClosedRange<Int>) throws(InvalidText) -> Int? {
            guard let text = take(name) else { return nil }
            guard let number = Int(text), range.contains(number) else {
                throw InvalidText("\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }

        mutating func duration(_ name: String) throws(InvalidText) -> Duration? {
            guard let text = take(name) else { return nil }
            guard let duration = Duration(shortText: text) else {
                throw InvalidText("\(name) is a time such as 300ms, 2s or 1m")
            }
            return duration
        }

        func finish() throws(InvalidText) {
            if values["retry-after"] != nil { throw InvalidText("retry-after stands beside a status") }
            guard values.isEmpty else {
                throw InvalidText(
                    "a fault has method, path, hub, status, retry-after, stall, reset, latency, rate, nth and every; nothing else"
                )
            }
        }
    }
}

extension Duration {
    /// A time such as `300ms`, `2s`, `1.5m`, or a number of seconds: a day at the most.
    package init?(shortText text: String) {
        let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60)]
        let (suffix, unit) = units.first { text.hasSuffix($0.0) } ?? ("", 1)
        let digits = text.utf8.dropLast(suffix.utf8.count)
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let number = Double(String(Substring(digits))), number * unit <= 86_400
        else { return nil }
        self = .milliseconds((number * unit * 1000).rounded())
    }
}
