/// A JSON object whose members are strings, numbers, Booleans or `null`, such as a line of `--json`.
///
/// The parser of NotificationHubs links Foundation, which this program must not.
struct FlatJSONObject {
    private enum Value {
        case string(String)
        case number(Double)
        case literal
    }

    private var members: [String: Value] = [:]

    /// Parses an object; `nil` for invalid JSON and for nested objects and arrays.
    init?(_ text: some StringProtocol) {
        var parser = Parser(rest: Substring(text).unicodeScalars)
        guard parser.skip("{") else { return nil }
        if !parser.skip("}") {
            repeat {
                guard let name = parser.string(), parser.skip(":"), let value = parser.value() else { return nil }
                members[name] = value
            } while parser.skip(",")
            guard parser.skip("}") else { return nil }
        }
        guard parser.isAtEnd else { return nil }
    }

    /// Returns a string member.
    func string(_ name: String) -> String? {
        if case .string(let text)? = members[name] { text } else { nil }
    }

    /// Returns a number member.
    func number(_ name: String) -> Double? {
        if case .number(let number)? = members[name] { number } else { nil }
    }

    private struct Parser {
        var rest: Substring.UnicodeScalarView

        private mutating func skipWhitespace() {
            rest = rest.drop { " \t\r\n".unicodeScalars.contains($0) }
        }

        var isAtEnd: Bool {
            mutating get {
                skipWhitespace()
                return rest.isEmpty
            }
        }

        /// Skips whitespace and a character, and returns whether the character was present.
        mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
            skipWhitespace()
            guard rest.first == scalar else { return false }
            rest.removeFirst()
            return true
        }

        mutating func value() -> Value? {
            if let text = string() { return .string(text) }
            let word = rest.prefix { $0.properties.isAlphabetic || "+-.0123456789".unicodeScalars.contains($0) }
            rest = rest[word.endIndex...]
            if ["null", "true", "false"].contains(String(word)) { return .literal }
            return Double(String(word)).flatMap { $0.isFinite ? .number($0) : nil }
        }

        mutating func string() -> String? {
            guard skip("\"") else { return nil }
            // UTF-16, so that two escapes can form a surrogate pair.
            var units: [UInt16] = []
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\"": return String(decoding: units, as: UTF16.self)
                case "\\":
                    guard let unit = escapedUnit() else { return nil }
                    units.append(unit)
                default: units += String(scalar).utf16
                }
            }
            return nil
        }

        private mutating func escapedUnit() -> UInt16? {
            switch rest.popFirst() {
            case "u":
                let digits = rest.prefix(4)
                rest = rest.dropFirst(4)
                return digits.count == 4 ? UInt16(String(digits), radix: 16) : nil
            case "b": return 0x08
            case "f": return 0x0c
            case "n": return 0x0a
            case "r": return 0x0d
            case "t": return 0x09
            case let scalar?: return "\"\\/".unicodeScalars.contains(scalar) ? UInt16(scalar.value) : nil
            case nil: return nil
            }
        }
    }
}
