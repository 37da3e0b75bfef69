import HubText

/// Any JSON value, kept as it was read: numbers with all their digits, texts with all their bytes.
///
/// It holds the members of an installation that this package has no property for, so that they survive when the
/// installation is read, changed and written.
package enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number.
    case number(JSONNumber)
    /// A text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Values by name.
    case object(JSONObject)
}

/// A JSON number, by its text: no digit is lost, and `1.0` stays `1.0`.
package struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number as JSON has it.
    package let text: String

    /// A number by its text, or `nil` for what JSON does not take for a number, such as `+1`, `01` or `NaN`.
    package init?(_ text: String) {
        guard case .number(let number)? = try? JSONValue(parsing: text.utf8),
            number.text.utf8.count == text.utf8.count
        else { return nil }
        self = number
    }

    /// A whole number.
    package init(_ number: some BinaryInteger) {
        text = "\(number)"
    }

    /// Takes a text that is known to be a number.
    init(unchecked text: String) {
        self.text = text
    }

    /// The number's text.
    package var description: String { text }
}
extension JSONValue: Hashable {
    /// Compares texts and names by their bytes, and numbers by their digits: `1.0` is not `1`.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes what is compared.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let flag): hasher.combine(flag)
        case .number(let number): hasher.combine(number)
        case .string(let text): text.hashBytes(into: &hasher)
        case .array(let values): hasher.combine(values)
        case .object(let object): hasher.combine(object)
        }
    }
}

extension String {
    /// Whether two texts are the same bytes. `==` takes texts for equal that look the same.
    func hasSameBytes(as other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }

    /// Hashes the bytes; `hash(into:)` takes texts that look the same for one.
    func hashBytes(into hasher: inout Hasher) {
        for byte in utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xff))
    }

    /// As ``shown``, without the quotes.
    var shownInside: String { String(shown.dropFirst().dropLast()) }

    /// The text for a message to people: quoted, in ASCII, at most 60 characters of it.
    var shown: String {
        let scalars = unicodeScalars.prefix(61)
        return "\"" + scalars.prefix(60).map { $0.escaped(asASCII: true) }.joined()
            + (scalars.count > 60 ? "…\"" : "\"")
    }
}

extension JSONValue {
    /// The value as JSON text without any space, members in the order of their names' bytes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// The value as JSON text.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .number(let number): bytes += number.text.utf8
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Writes a text between quotes; what JSON need not escape stays as it is.
    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case UInt8(ascii: "\r"): bytes += "\\r".utf8
            case UInt8(ascii: "\t"): bytes += "\\t".utf8
            case 0..<0x20: bytes += "\\u00".utf8 + [byte].hexDigits()
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
