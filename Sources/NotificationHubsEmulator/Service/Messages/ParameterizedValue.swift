/// A header's value with parameters behind it, such as `multipart/mixed; boundary="x"` (RFC 9110 §5.6.6).
struct ParameterizedValue {
    /// What stands before the first semicolon, in lower case.
    let text: String
    private var parameters: [(name: String, value: String)] = []

    init(_ header: String) {
        var rest = Array(header.utf8)[...]
        text = Self.word(&rest, until: ";").lowercased()
        while rest.popFirst() != nil {
            let name = Self.word(&rest, until: "=;").lowercased()
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: Self.isBlank)
            parameters.append((name, Self.quoted(&rest) ?? Self.word(&rest, until: ";")))
        }
    }

    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// What stands before one of some marks, without blanks at both ends.
    private static func word(_ rest: inout ArraySlice<UInt8>, until marks: String) -> String {
        var word = rest.prefix { !marks.utf8.contains($0) }
        rest = rest[word.endIndex...]
        word = word.drop(while: isBlank)
        while let last = word.last, isBlank(last) { word.removeLast() }
        return String(decoding: word, as: UTF8.self)
    }

    /// A text in quotes, with what stands behind it up to the next semicolon left aside; `nil` if there is none.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var (after, text) = (rest.dropFirst(), [UInt8]())
        while let byte = after.popFirst(), byte != UInt8(ascii: "\"") {
            // A backslash lets the next byte stand for itself.
            text.append(byte == UInt8(ascii: "\\") ? after.popFirst() ?? byte : byte)
        }
        rest = after.drop { $0 != UInt8(ascii: ";") }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
