/// The ordered header fields of an HTTP message, with case-insensitive names and one value per name (RFC 9110 §5).
package struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    private var fields: [(name: String, value: String)] = []

    package init() {}

    /// Creates fields from a literal. The last value of a repeated name replaces the others.
    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// Creates fields from another source. Invalid names and values are skipped. The values of a repeated name are joined with
    /// commas (RFC 9110 §5.3).
    package init(_ fields: some Sequence<(name: String, value: String)>) {
        // A linear search for each of many names would take quadratic time.
        var indices: [[UInt8]: Int] = [:]
        for (name, value) in fields where Self.isName(name) && Self.isValue(value) {
            let key = name.utf8.asciiLowercased
            if let index = indices[key] {
                self.fields[index].value += ", \(value)"
            } else {
                indices[key] = self.fields.count
                self.fields.append((name, value))
            }
        }
    }

    /// The value of a field. Names are case-insensitive.
    ///
    /// Setting an invalid name or value stops the program, because a line break would inject another field.
    package subscript(name: String) -> String? {
        get { fields.first { $0.name.utf8.isEqual(ignoringCase: name) }?.value }
        set {
            precondition(Self.isName(name), "a header's name must be a token (RFC 9110 §5.6.2)")
            precondition(newValue.map(Self.isValue) ?? true, "the value of header \(name) contains a control character")
            let index = fields.firstIndex { $0.name.utf8.isEqual(ignoringCase: name) }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (nil, let value?): fields.append((name, value))
            case (let index?, nil): fields.remove(at: index)
            case (nil, nil): break
            }
        }
    }

    /// Returns whether a string is a token (RFC 9110 §5.6.2).
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    /// Returns whether a string contains no control character except tab (RFC 9110 §5.5).
    @inlinable
    package static func isValue(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
    }
}

extension HTTPFields: Hashable {
    /// Returns whether two collections have the same fields in the same order. The case of names is significant.
    package static func == (left: Self, right: Self) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        for (name, value) in fields {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension HTTPFields: Sequence {
    package func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
        fields.makeIterator()
    }
}

extension HTTPFields {
    /// An error for an invalid field line. The reason does not contain the value.
    package struct LineError: Error {
        package let reason: String
    }

    /// Parses a line without its line end (RFC 9112 §5). A folded line, which starts with whitespace, is invalid.
    package static func field(
        _ line: ArraySlice<UInt8>
    ) throws(LineError) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = String(strictUTF8: line[..<colon]),
            isName(name)
        else { throw LineError(reason: "invalid header: expected NAME: VALUE") }
        guard let value = String(strictUTF8: line[(colon + 1)...].trimmed), isValue(value) else {
            throw LineError(reason: "invalid value of \(name): expected UTF-8 without control characters")
        }
        return (name, value)
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without leading and trailing spaces and tabs, the only optional whitespace of HTTP (RFC 9110 §5.6.3).
    fileprivate var trimmed: Self {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let last = lastIndex(where: { !isBlank($0) }) else { return [] }
        return self[...last].drop(while: isBlank)
    }
}
