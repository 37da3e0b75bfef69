import HubText

/// A JSON value without loss of precision: numbers keep their digits, and strings keep their bytes.
///
/// The service can add members that this package does not model. ``AdditionalProperties`` returns them as values, so no JSON
/// parser is needed to read them:
///
/// ```swift
/// let width = installation.additionalProperties["screen"]?["width"]?.int
/// ```
///
/// Values are also written: in the data of a notification, as literals or with ``JSONObject/init(encoding:)``.
///
/// Equality compares names and strings by their UTF-8 bytes, and numbers by their text: `1.0` does not equal `1`.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)
}

/// A JSON number, stored as text to keep all digits: `1.0` remains `1.0`.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number's JSON text.
    public let text: String

    /// Creates a number from its text; `nil` for text that is not a JSON number, such as `+1`, `01` or `NaN`.
    public init?(_ text: String) {
        guard case .number(let number)? = try? JSONValue(parsing: text.utf8),
            number.text.utf8.count == text.utf8.count
        else { return nil }
        self = number
    }

    /// Creates a number from an integer.
    public init(_ number: some BinaryInteger) {
        text = "\(number)"
    }

    /// Creates a number from text that the caller has validated.
    init(unchecked text: String) {
        self.text = text
    }

    /// The number's JSON text.
    public var description: String { text }
}

extension JSONValue: Hashable {
    /// Returns whether two values are equal. Strings and names are compared by their UTF-8 bytes and numbers by their text:
    /// `1.0` does not equal `1`.
    public static func == (left: Self, right: Self) -> Bool {
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

    /// Hashes strings and names by their UTF-8 bytes and numbers by their text.
    public func hash(into hasher: inout Hasher) {
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
    /// The string for messages: escaped to ASCII, truncated after 60 characters.
    var escapedForDisplay: String { isPlain ? self : String(quotedForDisplay.dropFirst().dropLast()) }

    private var isPlain: Bool { utf8.count <= 60 && utf8.allSatisfy(\.isASCIILetterOrDigit) }

    /// The string for messages: quoted, escaped to ASCII, truncated after 60 characters.
    package var quotedForDisplay: String {
        if isPlain { return "\"\(self)\"" }
        let scalars = unicodeScalars.prefix(61)
        return "\"" + scalars.prefix(60).map { $0.escaped(asASCII: true) }.joined()
            + (scalars.count > 60 ? "…\"" : "\"")
    }
}

extension JSONValue {
    /// The value's JSON text in UTF-8, without white space and with sorted members.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        write(to: &bytes)
        return bytes
    }

    /// The value's JSON text.
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

    /// Writes a string in quotes. Escapes only the characters that JSON requires to be escaped.
    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        let start = bytes.count
        // Most strings need no escape sequence. Appending their storage is faster than appending a `UTF8View`.
        let isAppended: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe bytes.append(contentsOf: $0)
        }
        // A string bridged from an Apple framework.
        if isAppended == nil { bytes += text.utf8 }
        if bytes[start...].containsEscapedInJSON { escape(&bytes, from: start) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Escapes the string from an index to the end of the bytes, in place.
    private static func escape(_ bytes: inout [UInt8], from start: Int) {
        let end = bytes.count
        let added = bytes[start...].reduce(0) { $0 + (escapedCharacter($1) != nil ? 1 : $1 < 0x20 ? 5 : 0) }
        bytes += repeatElement(0, count: added)
        unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            // From the end, no byte is overwritten before it is moved.
            var (source, target) = (end, end + added)
            while source < target {
                source -= 1
                let byte = unsafe bytes[source]
                if let character = escapedCharacter(byte) {
                    target -= 2
                    unsafe (bytes[target], bytes[target + 1]) = (UInt8(ascii: "\\"), character)
                } else if byte < 0x20 {
                    target -= 6
                    for (index, digit) in ("\\u00".utf8 + [byte].hexDigits()).enumerated() {
                        unsafe bytes[target + index] = digit
                    }
                } else {
                    target -= 1
                    unsafe bytes[target] = byte
                }
            }
        }
    }

    /// Returns the character after the backslash, for a byte with an escape sequence of two characters.
    private static func escapedCharacter(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
        case UInt8(ascii: "\n"): UInt8(ascii: "n")
        case UInt8(ascii: "\r"): UInt8(ascii: "r")
        case UInt8(ascii: "\t"): UInt8(ascii: "t")
        default: nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether JSON requires an escape sequence for one of the bytes.
    ///
    /// The loop has no branches, so that the compiler can vectorize it.
    fileprivate var containsEscapedInJSON: Bool {
        reduce(into: 0 as UInt8) { found, byte in
            found |= (byte < 0x20 ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
        } != 0
    }
}
